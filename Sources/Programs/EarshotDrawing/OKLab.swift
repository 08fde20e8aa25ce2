import RealModule

/// A colour in OKLab, where equal distances look equal. Source: Ottosson, A perceptual color space for image processing, 2020.
package struct OKLab: Sendable, Equatable {
    /// 0 is black, 1 white.
    package var lightness: Double
    /// Green to red, about −0.4 ... 0.4.
    package var a: Double
    /// Blue to yellow, about −0.4 ... 0.4.
    package var b: Double

    /// Sets the properties of the same names.
    package init(lightness: Double, a: Double, b: Double) {
        (self.lightness, self.a, self.b) = (lightness, a, b)
    }

    /// The colour of six hexadecimal digits, sRGB; nil if they are not.
    package init?(hex: some StringProtocol) {
        guard hex.utf8.count == 6, let number = Int(hex, radix: 16), number >= 0 else { return nil }
        let linear = [number >> 16, number >> 8 & 0xFF, number & 0xFF].map { byte -> Double in
            let encoded = Double(byte) / 255
            return encoded <= 0.040_45 ? encoded / 12.92 : .pow((encoded + 0.055) / 1.055, 2.4)
        }
        let l = Double.root(
            0.412_221_470_8 * linear[0] + 0.536_332_536_3 * linear[1] + 0.051_445_992_9 * linear[2], 3)
        let m = Double.root(
            0.211_903_498_2 * linear[0] + 0.680_699_545_1 * linear[1] + 0.107_396_956_6 * linear[2], 3)
        let s = Double.root(
            0.088_302_461_9 * linear[0] + 0.281_718_837_6 * linear[1] + 0.629_978_700_5 * linear[2], 3)
        lightness = 0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s
        a = 1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s
        b = 0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s
    }

    /// The colour as `#rrggbb`; values outside sRGB are clipped.
    package var hex: String {
        func cube(_ x: Double) -> Double { x * x * x }
        let l = cube(lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b)
        let m = cube(lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b)
        let s = cube(lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b)
        let linear = [
            4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
            -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
            -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
        ]
        return linear.reduce(into: "#") { text, value in
            let clipped = min(max(value, 0), 1)
            let encoded = clipped <= 0.003_130_8 ? 12.92 * clipped : 1.055 * .pow(clipped, 1 / 2.4) - 0.055
            let byte = Int((encoded * 255).rounded())
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}
