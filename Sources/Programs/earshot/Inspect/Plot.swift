import EarshotBasics
import EarshotDrawing

/// Maps times and frequencies to the drawing, and draws the axes.
struct Plot {
    let frame: Rectangle
    let times: ClosedRange<Double>
    let hertz: ClosedRange<Double>

    var pixelsPerSecond: Double { frame.width / (times.upperBound - times.lowerBound) }
    var pixelsPerHertz: Double { frame.height / (hertz.upperBound - hertz.lowerBound) }

    func x(seconds: Double) -> Double { frame.x + (seconds - times.lowerBound) * pixelsPerSecond }
    func y(hertz value: Double) -> Double { frame.bottom - (value - hertz.lowerBound) * pixelsPerHertz }

    func drawAxes(into svg: inout SVG) {
        let style = SVG.Style(size: 14, colour: Palette.faint, isFixedPitch: true)
        for value in stride(from: 18_500.0, through: 20_000.0, by: 500) {
            let y = y(hertz: value)
            let isEdge = value == 18_500 || value == 20_000
            svg.path(
                "M\(SVG.number(frame.x)) \(SVG.number(y))h\(SVG.number(frame.width))", stroke: "#ffffff",
                dash: isEdge ? "5 5" : "1 6", opacity: isEdge ? 0.35 : 0.22)
            svg.text(
                DecimalText.text(value / 1_000, decimals: 1), x: frame.x - 9, y: y + 5, style, anchor: .end)
        }
        svg.text("kHz", x: frame.x - 9, y: y(hertz: 20_000) - 13, style, anchor: .end)

        let ticks = Ticks(in: times, count: 10)
        for tick in ticks.values {
            let x = x(seconds: tick)
            // The label of the unit takes this place at the right end.
            guard x < frame.right - 40 else { continue }
            svg.path("M\(SVG.number(x)) \(SVG.number(frame.bottom))v6", stroke: Palette.faint)
            svg.text(
                DecimalText.text(tick, decimals: ticks.decimals), x: x, y: frame.bottom + 23, style, anchor: .middle)
        }
        svg.text("s", x: frame.right, y: frame.bottom + 23, style, anchor: .end)
        svg.path(frame.outline, stroke: Palette.line)
    }
}
