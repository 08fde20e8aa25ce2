/// A curve with its drawing attributes: its points from left to right, its colour and its marker.
struct DrawnCurve {
    private static let colours = [
        "#7cc0ff", "#ffb86b", "#8ef08a", "#ff9cf0", "#ffe066", "#b79bff", "#ff7f7f", "#43d3b3", "#d9a27e", "#c3d94e",
        "#5ee6ff", "#b4c0d4",
    ]

    let name: String
    let kind: CurveChart.Kind
    let colour: String
    let marker: Marker
    let points: [CurveChart.Point]
    /// Whether each point has a marker and an interval; shape [points.count].
    private let isMarked: [Bool]

    /// From this many measured curves on, they hide each other's points at 0 and at 100 %.
    private static let crowdCount = 5

    /// All curves that have points; measured ones take colours and markers in turn.
    static func all(of curves: [CurveChart.Curve]) -> [DrawnCurve] {
        let isCrowded = curves.count { $0.kind != .bound } >= crowdCount
        var measuredCount = 0
        return curves.compactMap { curve in
            let points = curve.points.filter { $0.x.isFinite && $0.share.isFinite }.sorted { $0.x < $1.x }
            let index = measuredCount
            if curve.kind != .bound { measuredCount += 1 }
            guard !points.isEmpty else { return nil }
            let colour = curve.kind == .bound ? Palette.faint : colours[index % colours.count]
            return DrawnCurve(
                name: curve.name, kind: curve.kind, colour: curve.colour ?? colour,
                marker: Marker.allCases[index % Marker.allCases.count], points: points,
                isMarked: points.indices.map { !isCrowded || !isLevel(points, at: $0) })
        }
    }

    /// Whether a point of 0 or 100 % is between others of the same share, so that the line suffices.
    private static func isLevel(_ points: [CurveChart.Point], at index: Int) -> Bool {
        let share = points[index].share
        return (share <= 0 || share >= 1)
            && points[max(index - 1, 0)...min(index + 1, points.count - 1)].allSatisfy { $0.share == share }
    }

    /// The level at which the curve first reaches 50 %; infinite if it does not.
    var halfway: Double {
        guard let next = points.firstIndex(where: { $0.share >= 0.5 }) else { return .infinity }
        guard next > 0 else { return points[0].x }
        return Self.place(of: 0.5, between: points[next - 1], and: points[next])
    }

    /// The level at which the lines first rise through a share; nil if they do not.
    func crossing(_ share: Double) -> Double? {
        zip(points, points.dropFirst()).first { $0.share < share && $1.share >= share }
            .map { Self.place(of: share, between: $0, and: $1) }
    }

    private static func place(of share: Double, between a: CurveChart.Point, and b: CurveChart.Point) -> Double {
        a.x + (share - a.share) / (b.share - a.share) * (b.x - a.x)
    }

    func draw(into svg: inout SVG, _ plot: CurvePlot) {
        drawLine(into: &svg, points.map { (plot.x($0.x), plot.y($0.share)) })
        guard kind != .bound else { return }
        let marked = zip(points, isMarked).filter(\.1).map(\.0)
        let bars = marked.compactMap { point in
            point.interval.map { interval in
                let (x, top, bottom) = (plot.x(point.x), plot.y(interval.upperBound), plot.y(interval.lowerBound))
                return "M\(SVG.number(x - 3.5)) \(SVG.number(top))h7m-3.5 0V\(SVG.number(bottom))m-3.5 0h7"
            }
        }
        if !bars.isEmpty { svg.path(bars.joined(), stroke: colour, width: 1.3, opacity: 0.75) }
        for point in marked { marker.draw(into: &svg, x: plot.x(point.x), y: plot.y(point.share), colour: colour) }
    }

    /// Draws a line through the given positions, for the plot and the legend.
    func drawLine(into svg: inout SVG, _ places: [(x: Double, y: Double)]) {
        let data = places.enumerated().map { index, place in
            "\(index == 0 ? "M" : "L")\(SVG.number(place.x)) \(SVG.number(place.y))"
        }
        let (width, dash) =
            switch kind {
            case .measured: (1.8, "none")
            case .highlighted: (3.2, "none")
            case .bound: (1.8, "6 5")
            }
        svg.path(data.joined(), stroke: colour, width: width, dash: dash)
    }
}
