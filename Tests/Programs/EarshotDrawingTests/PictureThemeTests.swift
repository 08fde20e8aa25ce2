import EarshotDrawing
import Testing

/// The light theme of pictures that are otherwise drawn on a dark ground.
@Suite struct PictureThemeTests {
    /// Relative luminance by WCAG 2: L = 0.2126·R + 0.7152·G + 0.0722·B of linear values.
    private static func luminance(_ hex: String) -> Double {
        let number = Int(hex.dropFirst(), radix: 16) ?? 0
        let linear = [number >> 16, number >> 8 & 0xFF, number & 0xFF].map { byte -> Double in
            let value = Double(byte) / 255
            // This approximates a gamma of 2.2 closely enough for a contrast.
            return value * value * (0.8 + 0.2 * value)
        }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    private static func contrast(_ a: String, _ b: String) -> Double {
        let (x, y) = (luminance(a) + 0.05, luminance(b) + 0.05)
        return max(x, y) / min(x, y)
    }

    private static func light(_ colour: String) -> String {
        let document = PictureTheme.light.applied(to: "<rect fill=\"\(colour)\"/>")
        return String(document.dropFirst(12).prefix(7))
    }

    @Test func darkIsAsDrawn() {
        let document = "<rect fill=\"#0d1017\"/><text>#0d1017</text>"
        #expect(PictureTheme.dark.applied(to: document) == document)
    }

    @Test func theGroundBecomesWhiteAndTheTextDark() {
        let ground = Self.light(Palette.background)
        #expect(Self.luminance(ground) > 0.9, "\(ground)")
        // Seven is WCAG's enhanced contrast for text, 4.5 its minimum, 3 the minimum of graphics.
        #expect(Self.contrast(Self.light(Palette.text), ground) > 7)
        #expect(Self.contrast(Self.light(Palette.faint), ground) > 4.5)
        for colour in ["fast", "standard", "far"].map(Palette.profile) + [
            Palette.sync, Palette.header, Palette.missing,
        ] {
            #expect(Self.contrast(Self.light(colour), ground) > 3, "\(colour) \(Self.light(colour))")
        }
    }

    /// Colours that are different on dark are also different on white.
    @Test func coloursStayDifferent() {
        let colours = ["fast", "standard", "far"].map(Palette.profile) + [Palette.sync, Palette.header]
        #expect(Set(colours.map(Self.light)).count == colours.count)
    }

    /// Only values of attributes count as colours, because text cannot contain quotation marks.
    @Test func textStays() {
        var svg = SVG()
        svg.text("\"#0d1017\" #ffffff", x: 0, y: 0, SVG.Style(size: 10, colour: "#0d1017"))
        let light = PictureTheme.light.applied(to: svg.body)
        #expect(light.contains("&quot;#0d1017&quot; #ffffff") && !light.contains("\"#0d1017\""))
        #expect(
            PictureTheme.light.applied(to: "<a b=\"#12\"/><a b=\"#12345g\"/>") == "<a b=\"#12\"/><a b=\"#12345g\"/>")
    }

    /// OKLab of sRGB's white, black and a blue, and back. Source of the values: Ottosson's page, 2020.
    @Test func coloursComeBackFromOKLab() throws {
        for hex in ["ffffff", "000000", "0d1017", "7cc0ff", "ff9cf0", "123456"] {
            #expect(try #require(OKLab(hex: hex)).hex == "#\(hex)")
        }
        let white = try #require(OKLab(hex: "ffffff"))
        #expect(abs(white.lightness - 1) < 1e-3 && abs(white.a) < 1e-3 && abs(white.b) < 1e-3)
        let red = try #require(OKLab(hex: "ff0000"))
        #expect(abs(red.lightness - 0.628) < 1e-3 && abs(red.a - 0.225) < 1e-3 && abs(red.b - 0.126) < 1e-3)
        #expect(OKLab(hex: "12345") == nil && OKLab(hex: "-12345") == nil)
    }
}
