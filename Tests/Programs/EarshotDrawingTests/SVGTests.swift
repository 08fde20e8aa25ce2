import EarshotBasics
import EarshotDrawing
import Testing

struct SVGTests {
    @Test(arguments: [
        ("a<b> & \"c\"", "a&lt;b&gt; &amp; &quot;c&quot;"), ("\u{1B}[0m\u{FFFF}", "\u{FFFD}[0m\u{FFFD}"),
        ("−8.4 dB · ü", "−8.4 dB · ü"),
    ])
    func textIsEscaped(row: (text: String, escaped: String)) {
        #expect(SVG.escaped(row.text) == row.escaped)
    }

    @Test(arguments: [
        (1.0 / 3, 2, "0.33"), (-0.004, 2, "0.00"), (-0.005, 2, "-0.01"), (1_234.5, 0, "1235"), (0.05, 1, "0.1"),
    ])
    func numbersHaveFixedDecimals(row: (value: Double, decimals: Int, text: String)) {
        #expect(DecimalText.fixed(row.value, decimals: row.decimals) == row.text)
    }

    @Test func numbersAreShort() {
        #expect(DecimalText.short(-12) == "-12")
        #expect(DecimalText.short(0.5) == "0.5")
        #expect(DecimalText.fixed(.nan, decimals: 1) == nil)
        #expect(DecimalText.grouped(-1_234_567) == "-1,234,567")
    }

    @Test func linesAreNoLongerThanTheirWidth() {
        #expect(TextWrap.lines("a bb ccc incomprehensible d", width: 6) == ["a bb", "ccc", "incomprehensible", "d"])
    }
}
