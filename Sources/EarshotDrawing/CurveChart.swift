/// Curves of a share over a level, such as tokens decoded over SNR: what was measured with its intervals, and bounds.
///
/// Curves are named where they run, as long as every name finds a place; else in a legend, from left to right.
/// The same values make the same text, to the byte.
package struct CurveChart: Sendable {
    /// A share at a level.
    package struct Point: Sendable, Equatable {
        /// Where on the horizontal axis.
        package var x: Double
        /// 0 ... 1.
        package var share: Double
        /// The interval in which the share may lie; nil where nothing is doubtful.
        package var interval: ClosedRange<Double>?

        /// A point. What is not finite is not drawn.
        package init(x: Double, share: Double, interval: ClosedRange<Double>? = nil) {
            self.x = x
            self.share = share
            self.interval = interval
        }
    }

    /// What a curve shows.
    package enum Kind: Sendable {
        /// Points with their intervals, joined by lines.
        case measured
        /// The same, drawn with more weight.
        case highlighted
        /// A dashed line without points.
        case bound
    }

    /// A curve with its name.
    package struct Curve: Sendable {
        /// As it stands on the picture.
        package var name: String
        /// What it shows.
        package var kind: Kind
        /// `#rrggbb`; nil takes the next one of a list, and grey for a bound.
        package var colour: String?
        /// In any order.
        package var points: [Point]

        /// A curve.
        package init(name: String, kind: Kind = .measured, colour: String? = nil, points: [Point]) {
            self.name = name
            self.kind = kind
            self.colour = colour
            self.points = points
        }
    }

    /// Above everything.
    package var title: String
    /// Below the title; may be empty.
    package var subtitle: String
    /// Below everything; may be empty.
    package var footnote: String
    /// What the horizontal axis shows, with its unit.
    package var xName: String
    /// What the vertical axis shows.
    package var shareName: String
    /// A share that everything is compared at, 0 ... 1: a line across.
    package var markedShare: Double?
    /// In the order in which they are painted.
    package var curves: [Curve]

    /// A chart.
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

    /// The picture as SVG, 900 pixels wide.
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
