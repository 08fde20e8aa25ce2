/// The names of the curves, each beside its own.
struct CurveLabels {
    private struct Label {
        let curve: DrawnCurve
        let frame: Rectangle
    }

    private static let size = 14.0
    private static let height = 20.0
    /// The distance between a curve and its name: the flatter the curve, the larger.
    private static let gaps = [9.0, 16, 26]
    /// The shares beside which a name may stand, in order of preference.
    private static let shares = [0.35, 0.65, 0.25, 0.75, 0.45, 0.55, 0.15, 0.85]

    private let labels: [Label]

    /// Creates labels; nil if a name finds no free position.
    init?(_ curves: [DrawnCurve], plot: CurvePlot) {
        let taken = curves.flatMap { Self.places($0, plot: plot) }
        var labels: [Label] = []
        for curve in curves {
            let width = SVG.Style.width(characterCount: curve.name.count, size: Self.size) + 8
            let candidates = Self.gaps.lazy.flatMap { gap in
                Self.shares.lazy.flatMap { share -> [Rectangle] in
                    guard let crossing = curve.crossing(share) else { return [] }
                    let (x, y) = (plot.x(crossing), plot.y(share) - Self.height / 2)
                    return [x + gap, x - gap - width].map {
                        Rectangle(x: $0, y: y, width: width, height: Self.height)
                    }
                }
            }
            let frame = candidates.first { frame in
                frame.x >= plot.frame.x + 4 && frame.right <= plot.frame.right - 4
                    && !taken.contains { frame.contains(x: $0.x, y: $0.y, margin: 3) }
                    && !labels.contains { $0.frame.overlaps(frame) }
            }
            guard let frame else { return nil }
            labels.append(Label(curve: curve, frame: frame))
        }
        self.labels = labels
    }

    func draw(into svg: inout SVG) {
        for label in labels {
            svg.rectangle(label.frame, fill: Palette.panel, radius: 4, opacity: 0.85)
            svg.text(
                label.curve.name, x: label.frame.x + 4, y: label.frame.y + 15,
                SVG.Style(
                    size: Self.size, colour: label.curve.colour, isFixedPitch: true,
                    isBold: label.curve.kind == .highlighted))
        }
    }

    /// Positions a few pixels apart along all drawn lines of a curve.
    private static func places(_ curve: DrawnCurve, plot: CurvePlot) -> [(x: Double, y: Double)] {
        let corners = curve.points.map { (x: plot.x($0.x), y: plot.y($0.share)) }
        var strokes = Array(zip(corners, corners.dropFirst()))
        if curve.kind != .bound {
            for (point, corner) in zip(curve.points, corners) {
                guard let interval = point.interval else { continue }
                strokes.append(((corner.x, plot.y(interval.lowerBound)), (corner.x, plot.y(interval.upperBound))))
            }
        }
        return corners
            + strokes.flatMap { a, b in
                let count = Int(max(abs(b.x - a.x), abs(b.y - a.y)) / 4) + 1
                return (0...count).map { step in
                    let t = Double(step) / Double(count)
                    return (a.x + t * (b.x - a.x), a.y + t * (b.y - a.y))
                }
            }
    }
}
