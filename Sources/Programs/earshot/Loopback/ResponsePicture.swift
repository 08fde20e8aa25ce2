import EarshotBasics
import EarshotConsole
import EarshotDrawing
import EarshotLoopback
import EarshotModem
import EarshotSoundConsole

/// The response of a loudspeaker and a microphone from 17 kHz up, as a drawing: the response, the noise, the band, the
/// cut-off if there is one, and the verdict.
///
/// The response has the left axis and the noise the right one. The axes are a token's level apart, so the distance between
/// the curves is the SNR of a token.
struct ResponsePicture {
    private static let width = 1_200.0
    private static let margin = 28.0
    /// The width for the numbers of an axis, beside the plot.
    private static let axisWidth = 50.0
    private static let titleLineHeight = 30.0
    /// The number of characters in a line of the title: in the widest of the usual fonts they fill the picture's width.
    private static let titleLineLength = 68
    private static let response = Palette.sync
    private static let noise = Palette.profile("far")
    private static let warning = Palette.header

    private let report: PairReport
    private let verdict: PairVerdict
    private let tokenLevelDecibels: Double
    private let name: String
    private let titleLines: [String]
    private let plot: ResponsePlot
    /// The noise in 1,500 Hz around each bin's middle, dBFS; shape [bins].
    private let noiseLevels: [Double]

    /// - Parameters:
    ///   - tokenLevelDecibels: the level at which tokens were played, dBFS.
    ///   - name: the title: the devices.
    init(_ report: PairReport, verdict: PairVerdict, tokenLevelDecibels: Double, name: String) {
        self.report = report
        self.verdict = verdict
        self.tokenLevelDecibels = tokenLevelDecibels
        self.name = name
        titleLines = Self.titleLines(name.escapedForTerminal)
        let bandwidth = report.noiseLevelDecibels - report.noiseDensityDecibels
        let noiseLevels = report.bins.map { $0.noiseDensityDecibels + bandwidth }
        self.noiseLevels = noiseLevels
        let side = Self.margin + Self.axisWidth
        let top = 118 + Self.titleLineHeight * Double(titleLines.count)
        plot = ResponsePlot(
            frame: Rectangle(x: side, y: top, width: Self.width - 2 * side, height: 400),
            responseLevels: report.bins.map(\.responseDecibels), noiseLevels: noiseLevels,
            tokenLevelDecibels: tokenLevelDecibels)
    }

    func document() -> String {
        let lines = verdictLines
        let height = plot.frame.bottom + 74 + 25 * Double(lines.count) + Self.margin - 14
        var svg = SVG()
        svg.rectangle(Rectangle(x: 0, y: 0, width: Self.width, height: height), fill: Palette.background, radius: 10)
        drawTitle(&svg)
        drawAxisNames(&svg)
        drawBand(&svg)
        plot.drawAxes(into: &svg, responseColour: Self.response, noiseColour: Self.noise)
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
        for (index, line) in titleLines.enumerated() {
            svg.text(
                line, x: Self.margin, y: 46 + Self.titleLineHeight * Double(index),
                SVG.Style(size: 24, colour: Palette.text, isBold: true))
        }
        let top = 44 + Self.titleLineHeight * Double(titleLines.count)
        for (index, line) in figures.enumerated() {
            svg.text(
                line, x: Self.margin, y: top + 23 * Double(index), SVG.Style(size: 15, colour: Palette.faint))
        }
    }

    /// The whole name, because names of devices may differ only at their ends. A word longer than a line is broken.
    private static func titleLines(_ name: String) -> [String] {
        TextWrap.lines(name, width: titleLineLength).flatMap { line in
            let characters = Array(line)
            return stride(from: 0, to: characters.count, by: titleLineLength).map { first in
                String(characters[first..<min(first + titleLineLength, characters.count)])
            }
        }
    }

    /// Above each axis, the name of its curve.
    private func drawAxisNames(_ svg: inout SVG) {
        let y = plot.frame.y - 14
        func style(_ colour: String) -> SVG.Style { SVG.Style(size: 14, colour: colour, isFixedPitch: true) }
        let sample = 24.0
        svg.path("M\(SVG.number(plot.frame.x)) \(SVG.number(y - 5))h\(sample)", stroke: Self.response, width: 2.5)
        svg.text("received / sent, dB", x: plot.frame.x + sample + 8, y: y, style(Self.response))
        let noise =
            showsNoise
            ? "noise in 1,500 Hz, dBFS"
            : "noise in 1,500 Hz: below \(DecimalText.typeset(plot.noiseDecibels.lowerBound, decimals: 0)) dBFS"
        svg.path(
            "M\(SVG.number(plot.frame.right - sample)) \(SVG.number(y - 5))h\(sample)", stroke: Self.noise, width: 1.8)
        svg.text(noise, x: plot.frame.right - sample - 8, y: y, style(Self.noise), anchor: .end)
    }

    /// Whether some of the noise is within the plot. A file has no noise.
    private var showsNoise: Bool { noiseLevels.contains { $0 >= plot.noiseDecibels.lowerBound } }

    private func drawBand(_ svg: inout SVG) {
        svg.rectangle(plot.frame, fill: Palette.panel)
        let band = Profile.standard
        let (left, right) = (plot.x(band.lowestHertz), plot.x(band.highestHertz))
        let frame = Rectangle(x: left, y: plot.frame.y, width: right - left, height: plot.frame.height)
        svg.rectangle(frame, fill: Palette.profile("standard"), opacity: 0.13)
    }

    /// After the curves, on a background of its own, because an edge may cross it.
    private func drawBandName(_ svg: inout SVG) {
        let band = Profile.standard
        let (middle, y) = (plot.x(band.centreHertz), plot.frame.bottom - 12)
        let name = "tokens' band"
        let width = SVG.Style.width(characterCount: name.count, size: 14) + 12
        svg.rectangle(
            Rectangle(x: middle - width / 2, y: y - 15, width: width, height: 21), fill: Palette.panel, radius: 4,
            opacity: 0.85)
        svg.text(name, x: middle, y: y, SVG.Style(size: 14, colour: Palette.faint, isFixedPitch: true), anchor: .middle)
    }

    private func drawCurves(_ svg: inout SVG) {
        if showsNoise {
            let noise = zip(report.bins, noiseLevels).map { (x: plot.x($0.hertz), y: plot.y(noise: $1)) }
            svg.path(plot.curve(noise), stroke: Self.noise, width: 1.8)
        }
        let response = report.bins.map { (x: plot.x($0.hertz), y: plot.y(response: $0.responseDecibels)) }
        svg.path(plot.curve(response), stroke: Self.response, width: 2.5)
        let band = Profile.standard
        let (left, right) = (plot.x(band.lowestHertz), plot.x(band.highestHertz))
        svg.path(
            "M\(SVG.number(left)) \(SVG.number(plot.y(response: report.band.meanDecibels)))h\(SVG.number(right - left))",
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

    /// How to read the SNR, the summary, and each problem in as many lines as it takes.
    private var verdictLines: [(text: String, colour: String, indent: Double)] {
        let level = DecimalText.typeset(tokenLevelDecibels, decimals: 1)
        return
            (showsNoise
            ? [("The curves are as far apart as the SNR of a token at \(level) dBFS.", Palette.faint, 0)] : [])
            + [(verdict.summary, Palette.text, 0)]
            + verdict.problems.flatMap { problem in
                TextWrap.lines(problem.description, width: 140).enumerated().map { index, line in
                    (index == 0 ? "•  " + line : line, Palette.faint, index == 0 ? 0 : 14)
                }
            }
    }
}
