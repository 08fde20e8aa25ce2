import Glibc

/// Colours for levels: from night blue over violet and orange to pale yellow, with equal steps of lightness.
///
/// Interpolated in OKLab, where equal distances look equal. Lightness is a straight line, so the picture also reads
/// in grey. Source: Ottosson, A perceptual color space for image processing, 2020.
enum ColourMap {
    /// Hue in turns and chroma along the map; the place alone gives the lightness.
    private static let stops: [(place: Double, hueTurns: Double, chroma: Double)] = [
        (0, 0.740, 0.035), (0.2, 0.790, 0.110), (0.45, 0.960, 0.170), (0.7, 1.130, 0.170), (1, 1.290, 0.110),
    ]
    private static let lightness = 0.16...0.92

    /// The colour at `place`, 0 ... 1, as `#rrggbb`.
    static func hex(_ place: Double) -> String {
        let place = min(max(place, 0), 1)
        let next = max(1, stops.firstIndex { $0.place >= place } ?? stops.count - 1)
        let (a, b) = (stops[next - 1], stops[next])
        let t = (place - a.place) / (b.place - a.place)
        let hue = 2 * Double.pi * (a.hueTurns + t * (b.hueTurns - a.hueTurns))
        let chroma = a.chroma + t * (b.chroma - a.chroma)
        let light = lightness.lowerBound + place * (lightness.upperBound - lightness.lowerBound)
        return hex(lightness: light, a: chroma * cos(hue), b: chroma * sin(hue))
    }

    /// Converts OKLab to sRGB and clips values outside of sRGB.
    private static func hex(lightness: Double, a: Double, b: Double) -> String {
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
            let encoded = clipped <= 0.003_130_8 ? 12.92 * clipped : 1.055 * pow(clipped, 1 / 2.4) - 0.055
            let byte = Int((encoded * 255).rounded())
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }

    private static func cube(_ x: Double) -> Double { x * x * x }
}
