/// Curves of a share against a level, such as tokens decoded against SNR: measurements with their intervals, and
/// bounds.
///
/// Each curve's name is written beside it if there is room for all names; otherwise a legend lists them, from left to
/// right. The same values give the same SVG text, byte for byte.
package struct CurveChart: Sendable {
    /// A share at a level.
    package struct Point: Sendable, Equatable {
        /// The level, on the horizontal axis.
        package var x: Double
        /// The share, 0 ... 1.
        package var share: Double
        /// The confidence interval of the share; nil if the share is exact.
        package var interval: ClosedRange<Double>?

        /// Creates a point; the chart does not draw values that are not finite.
        package init(x: Double, share: Double, interval: ClosedRange<Double>? = nil) {
            self.x = x
            self.share = share
            self.interval = interval
        }
    }

    /// The kind of a curve.
    package enum Kind: Sendable {
        /// Measured points with their intervals, joined by lines.
        case measured
        /// Measured points, drawn with more weight.
        case highlighted
        /// A bound: a dashed line without points.
        case bound
    }

    /// A curve with its name.
    package struct Curve: Sendable {
        /// The name on the picture.
        package var name: String
        /// The kind of the curve.
        package var kind: Kind
        /// The colour as `#rrggbb`; nil takes the next one of a list, and grey for a bound.
        package var colour: String?
        /// The points in any order.
        package var points: [Point]

        /// Creates a curve from its properties.
        package init(name: String, kind: Kind = .measured, colour: String? = nil, points: [Point]) {
            self.name = name
            self.kind = kind
            self.colour = colour
            self.points = points
        }
    }

    /// The title above the chart.
    package var title: String
    /// The text below the title; may be empty.
    package var subtitle: String
    /// The text below the chart; may be empty.
    package var footnote: String
    /// The name of the horizontal axis, with its unit.
    package var xName: String
    /// The name of the vertical axis.
    package var shareName: String
    /// The share at which readers compare curves, 0 ... 1, drawn as a horizontal line; nil draws none.
    package var markedShare: Double?
    /// The curves in painting order.
    package var curves: [Curve]

    /// Creates a chart from its properties.
    package init(
        title: String, subtitle: String = "", footnote: String = "", xName: String = "SNR in 1,500 Hz, dB",
        shareName: String = "tokens decoded", markedShare: Double? = nil, curves: [Curve]
    ) {
        self.title = title
        self.subtitle = subtitle
        self.footnote = footnote
        self.xName = xName
        self.shareName = shareName
        self.markedShare = markedShare
        self.curves = curves
    }

    /// The chart as an SVG document, 900 pixels wide.
    package func document() -> String {
        let text = ChartText(title: title, subtitle: subtitle, footnote: footnote)
        let drawn = DrawnCurve.all(of: curves)
        let labelled = self.plot(legendWidth: 0, top: text.headHeight)
        let labels = CurveLabels(drawn, plot: labelled)
        let legend = labels == nil ? CurveLegend(drawn) : nil
        let plot = legend.map { self.plot(legendWidth: $0.width, top: text.headHeight) } ?? labelled
        let footTop = max(plot.frame.bottom + 58, plot.frame.y + (legend?.height ?? 0))
        let height = footTop + text.footHeight

        var svg = SVG()
        let page = Rectangle(x: 0, y: 0, width: ChartText.width, height: height)
        svg.rectangle(page, fill: Palette.background, radius: 10)
        plot.drawAxes(into: &svg, xName: xName, shareName: shareName, markedShare: markedShare)
        for curve in drawn { curve.draw(into: &svg, plot) }
        labels?.draw(into: &svg)
        legend?.draw(into: &svg, x: plot.frame.right + CurveLegend.gap, top: plot.frame.y)
        text.draw(into: &svg, footTop: footTop)
        return svg.document(
            width: ChartText.width, height: height, title: title,
            description: "Share of \(shareName) over \(xName): \(curves.map(\.name).joined(separator: ", ")).")
    }

    private func plot(legendWidth: Double, top: Double) -> CurvePlot {
        let left = ChartText.margin + 50
        let right = ChartText.right - (legendWidth > 0 ? legendWidth + CurveLegend.gap : 6)
        return CurvePlot(
            frame: Rectangle(x: left, y: top + 34, width: right - left, height: 400),
            places: curves.flatMap(\.points).map(\.x))
    }
}
