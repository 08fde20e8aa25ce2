import EarshotConsole
import EarshotDrawing
import EarshotLoopback
import EarshotModem

/// What a loudspeaker and a microphone do to 17 kHz and above, as a drawing: the response, the noise on the same scale, the
/// band, the edge where something cuts off, and what follows from it all.
struct ResponsePicture {
    private static let width = 1_200.0
    private static let margin = 28.0
    private static let response = Palette.sync
    private static let noise = Palette.profile("far")
    private static let warning = Palette.header

    private let report: PairReport
    private let verdict: PairVerdict
    private let tokenLevelDecibels: Double
    private let name: String
    private let plot: ResponsePlot
    /// In 1,500 Hz, relative to a token as played: the distance from the response down to it is the SNR.
    private let noiseLevels: [Double]

    /// - Parameter name: of the devices, as the title.
    init(_ report: PairReport, verdict: PairVerdict, tokenLevelDecibels: Double, name: String) {
        self.report = report
        self.verdict = verdict
        self.tokenLevelDecibels = tokenLevelDecibels
        self.name = name
        let offset = report.noiseLevelDecibels - report.noiseDensityDecibels - tokenLevelDecibels
        noiseLevels = report.bins.map { $0.noiseDensityDecibels + offset }
        let left = Self.margin + 50
        plot = ResponsePlot(
            frame: Rectangle(x: left, y: 148, width: Self.width - left - Self.margin - 14, height: 400),
            levels: report.bins.map(\.responseDecibels) + noiseLevels)
    }

    func document() -> String {
        let lines = verdictLines
        let height = plot.frame.bottom + 74 + 25 * Double(lines.count) + Self.margin - 14
        var svg = SVG()
        svg.rectangle(Rectangle(x: 0, y: 0, width: Self.width, height: height), fill: Palette.background, radius: 10)
        drawTitle(&svg)
        drawLegend(&svg)
        drawBand(&svg)
        plot.drawAxes(into: &svg)
        drawCurves(&svg)
        drawCutOff(&svg)
        drawBandName(&svg)
        for (index, line) in lines.enumerated() {
            svg.text(
                line.text, x: Self.margin + line.indent, y: plot.frame.bottom + 82 + 25 * Double(index),
                SVG.Style(size: 15, colour: line.colour))
        }
        return svg.document(
            width: Self.width, height: height, title: "\(name): \(figures[0])",
            description: "Response and noise of a loudspeaker and a microphone from 17 to 23 kHz.")
    }

    private var figures: [String] {
        func text(_ value: Double) -> String { DecimalText.typeset(value, decimals: 1) }
        let band = report.band
        let milliseconds = report.latencySamples / Double(report.sampleRateHertz) * 1_000
        let snr = report.expectedSNRDecibels(sentLevelDecibels: tokenLevelDecibels)
        return [
            "18.5 to 20 kHz: mean \(text(band.meanDecibels)) dB  ·  worst \(text(band.worstDecibels)) dB at "
                + "\(DecimalText.text(band.worstHertz / 1_000, decimals: 2)) kHz  ·  ripple \(text(band.rippleDecibels)) dB",
            "noise \(text(report.noiseLevelDecibels)) dBFS in 1,500 Hz  ·  SNR \(text(snr)) dB for a token at "
                + "\(text(tokenLevelDecibels)) dBFS  ·  latency \(text(milliseconds)) ms  ·  "
                + "\(DecimalText.grouped(report.sampleRateHertz)) Hz",
        ]
    }

    private func drawTitle(_ svg: inout SVG) {
        let short = name.count > 60 ? name.prefix(58) + "…" : name[...]
        svg.text(
            String(short).escapedForTerminal, x: Self.margin, y: 46,
            SVG.Style(size: 24, colour: Palette.text, isBold: true))
        for (index, line) in figures.enumerated() {
            svg.text(
                line, x: Self.margin, y: 74 + 23 * Double(index), SVG.Style(size: 15, colour: Palette.faint))
        }
    }

    private func drawLegend(_ svg: inout SVG) {
        var x = plot.frame.right
        for (name, colour) in [("noise in 1,500 Hz", Self.noise), ("received / sent", Self.response)] {
            svg.text(
                name, x: x, y: plot.frame.y - 14, SVG.Style(size: 14, colour: Palette.faint, isFixedPitch: true),
                anchor: .end)
            x -= SVG.Style.width(characterCount: name.count, size: 14) + 32
            svg.path("M\(SVG.number(x)) \(SVG.number(plot.frame.y - 19))h24", stroke: colour, width: 2.5)
            x -= 24
        }
    }

    private func drawBand(_ svg: inout SVG) {
        svg.rectangle(plot.frame, fill: Palette.panel)
        let band = Profile.standard
        let (left, right) = (plot.x(Double(band.lowestHertz)), plot.x(Double(band.highestHertz)))
        let frame = Rectangle(x: left, y: plot.frame.y, width: right - left, height: plot.frame.height)
        svg.rectangle(frame, fill: Palette.profile("standard"), opacity: 0.13)
    }

    /// After the curves, on a ground of its own: an edge may run through it.
    private func drawBandName(_ svg: inout SVG) {
        let band = Profile.standard
        let (middle, y) = (plot.x(Double(band.centreHertz)), plot.frame.bottom - 12)
        let name = "tokens' band"
        let width = SVG.Style.width(characterCount: name.count, size: 14) + 12
        svg.rectangle(
            Rectangle(x: middle - width / 2, y: y - 15, width: width, height: 21), fill: Palette.panel, radius: 4,
            opacity: 0.85)
        svg.text(name, x: middle, y: y, SVG.Style(size: 14, colour: Palette.faint, isFixedPitch: true), anchor: .middle)
    }

    private func drawCurves(_ svg: inout SVG) {
        let response = zip(report.bins, report.bins.map(\.responseDecibels)).map { ($0.hertz, $1) }
        let noise = zip(report.bins, noiseLevels).map { ($0.hertz, $1) }
        svg.path(plot.curve(noise), stroke: Self.noise, width: 1.8)
        svg.path(plot.curve(response), stroke: Self.response, width: 2.5)
        let band = Profile.standard
        let (left, right) = (plot.x(Double(band.lowestHertz)), plot.x(Double(band.highestHertz)))
        svg.path(
            "M\(SVG.number(left)) \(SVG.number(plot.y(report.band.meanDecibels)))h\(SVG.number(right - left))",
            stroke: Palette.text, width: 1.2, dash: "6 4", opacity: 0.7)
        if let last = report.bins.last?.hertz, plot.x(last) + 150 < plot.frame.right {
            svg.text(
                "not measured", x: (plot.x(last) + plot.frame.right) / 2, y: plot.frame.y + 22,
                SVG.Style(size: 14, colour: Palette.faint, isFixedPitch: true), anchor: .middle)
        }
    }

    private func drawCutOff(_ svg: inout SVG) {
        guard let hertz = report.cutOffHertz else { return }
        let x = plot.x(hertz)
        svg.path(
            "M\(SVG.number(x)) \(SVG.number(plot.frame.y))v\(SVG.number(plot.frame.height))", stroke: Self.warning,
            width: 1.5, dash: "4 4")
        let isLeft = x > plot.frame.right - 180
        svg.text(
            "cut off at \(DecimalText.text(hertz / 1_000, decimals: 2)) kHz", x: x + (isLeft ? -9 : 9),
            y: plot.frame.y + 22, SVG.Style(size: 14, colour: Self.warning, isFixedPitch: true),
            anchor: isLeft ? .end : .start)
    }

    /// The summary, and each problem in as many lines as it takes.
    private var verdictLines: [(text: String, colour: String, indent: Double)] {
        [(verdict.summary, Palette.text, 0)]
            + verdict.problems.flatMap { problem in
                TextWrap.lines(problem.description, width: 140).enumerated().map { index, line in
                    (index == 0 ? "•  " + line : line, Palette.faint, index == 0 ? 0 : 14)
                }
            }
    }
}
