/// The names of the curves beside the plot, in the order in which the curves rise.
struct CurveLegend {
    static let gap = 18.0
    private static let rowHeight = 27.0
    private static let swatchWidth = 34.0
    private static let size = 13.0
    private static let maximumCharacterCount = 30

    private let curves: [DrawnCurve]

    init(_ curves: [DrawnCurve]) {
        self.curves = curves.enumerated().sorted { ($0.element.halfway, $0.offset) < ($1.element.halfway, $1.offset) }
            .map(\.element)
    }

    var width: Double {
        let count = curves.map { $0.name.count }.max() ?? 0
        let shown = min(count, Self.maximumCharacterCount)
        return Self.swatchWidth + 10 + SVG.Style.width(characterCount: shown, size: Self.size)
    }

    var height: Double { Double(curves.count) * Self.rowHeight + 8 }

    func draw(into svg: inout SVG, x: Double, top: Double) {
        for (index, curve) in curves.enumerated() {
            let y = top + 14 + Double(index) * Self.rowHeight
            curve.drawLine(into: &svg, [(x, y), (x + Self.swatchWidth, y)])
            if curve.kind != .bound {
                curve.marker.draw(into: &svg, x: x + Self.swatchWidth / 2, y: y, colour: curve.colour)
            }
            svg.text(
                ChartText.shortened(curve.name, to: Self.maximumCharacterCount), x: x + Self.swatchWidth + 10,
                y: y + 4.5,
                SVG.Style(
                    size: Self.size, colour: curve.kind == .bound ? Palette.faint : Palette.text, isFixedPitch: true,
                    isBold: curve.kind == .highlighted))
        }
    }
}
