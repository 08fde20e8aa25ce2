/// The shape of a curve's points, so that readers can tell curves apart without colours.
enum Marker: CaseIterable {
    case circle, square, diamond, triangle, wedge

    private static let radius = 4.0

    /// Draws the marker around a position; its rim, in the background's colour, separates it from shapes below.
    func draw(into svg: inout SVG, x: Double, y: Double, colour: String) {
        let r = Self.radius
        let style: KeyValuePairs<String, String>
        switch self {
        case .circle:
            style = [
                "cx": SVG.number(x), "cy": SVG.number(y), "r": SVG.number(r), "fill": colour, "stroke": Palette.panel,
            ]
            svg.element("circle", style)
            return
        case .square: style = Self.polygon([(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)], x, y, r, colour)
        case .diamond: style = Self.polygon([(0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)], x, y, r, colour)
        case .triangle: style = Self.polygon([(0, -1.2), (1.15, 0.9), (-1.15, 0.9)], x, y, r, colour)
        case .wedge: style = Self.polygon([(0, 1.2), (1.15, -0.9), (-1.15, -0.9)], x, y, r, colour)
        }
        svg.element("polygon", style)
    }

    private static func polygon(
        _ corners: [(x: Double, y: Double)], _ x: Double, _ y: Double, _ r: Double, _ colour: String
    ) -> KeyValuePairs<String, String> {
        let points = corners.map { "\(SVG.number(x + r * $0.x)),\(SVG.number(y + r * $0.y))" }
        return ["points": points.joined(separator: " "), "fill": colour, "stroke": Palette.panel]
    }
}
