import EarshotBasics
import EarshotCoding
import EarshotConsole
import EarshotDrawing
import EarshotModem

/// The labels above the spectrogram, in as many lanes as they need to stay apart.
struct FrameLabels {
    private struct Label {
        let text: String
        let colour: String
        let x: Double
        let width: Double
        let lane: Int
        /// The start of the label's frame, in seconds.
        let startSeconds: Double
    }

    /// How much text a label has.
    private enum Detail {
        case sentence, number
    }

    private static let laneHeight = 30.0
    private static let chipHeight = 24.0
    private static let fontSize = 14.0

    private let top: Double
    private let labels: [Label]

    init(_ inspection: Inspection, colours: FrameColours, left: Double, width: Double, top: Double) {
        self.top = top
        let span = left...(left + width)
        // Sentences if all of them fit, else the numbers of the table, else as many numbers as fit.
        labels =
            Self.labels(inspection, colours, .sentence, span: span, laneCount: 5, mustFit: true)
            ?? Self.labels(inspection, colours, .number, span: span, laneCount: 2, mustFit: true)
            ?? Self.labels(inspection, colours, .number, span: span, laneCount: 1, mustFit: false) ?? []
    }

    /// - Returns: nil if a frame gets no label and `mustFit` is true.
    private static func labels(
        _ inspection: Inspection, _ colours: FrameColours, _ detail: Detail, span: ClosedRange<Double>, laneCount: Int,
        mustFit: Bool
    ) -> [Label]? {
        var labels: [Label] = []
        var laneEnds = [Double](repeating: -.infinity, count: laneCount)
        let pixelsPerSecond = (span.upperBound - span.lowerBound) / inspection.seconds
        let numbered = inspection.frames.enumerated().sorted { $0.element.startSample < $1.element.startSample }
        for (index, frame) in numbered {
            let seconds = Double(frame.startSample) / Double(inspection.sampleRateHertz)
            let text = detail == .number ? "\(index + 1)" : sentence(index + 1, frame, seconds: seconds)
            let width = SVG.Style.width(characterCount: text.count, size: fontSize) + 18
            let start = span.lowerBound + max(0, seconds - inspection.startSeconds) * pixelsPerSecond
            let x = min(start, span.upperBound - width)
            guard let lane = laneEnds.firstIndex(where: { $0 + 8 <= x }) else {
                if mustFit { return nil }
                continue
            }
            laneEnds[lane] = x + width
            labels.append(
                Label(
                    text: text, colour: colours.outline(index), x: x, width: width,
                    lane: lane, startSeconds: seconds))
        }
        return labels
    }

    private static func sentence(_ number: Int, _ frame: ReceivedFrame, seconds: Double) -> String {
        let cut = frame.payload.count > Payload.tokenCount ? "…" : ""
        let name = frame.payload.printableText.map { "\"\($0)\"" } ?? frame.payload.hex.prefix(16) + cut
        return "\(number)  \(name)  \(frame.profileName)  "
            + "\(DecimalText.text(Double(frame.snrDecibels), decimals: 1)) dB  "
            + "\(DecimalText.text(seconds, decimals: 3)) s"
    }

    /// The y coordinate below the lowest lane, which holds the first label.
    var bottom: Double {
        top + Double(laneCount) * Self.laneHeight
    }

    func draw(into svg: inout SVG, _ plot: Plot) {
        for label in labels {
            let y = top(of: label)
            let stem = max(label.x + 0.75, min(plot.x(seconds: label.startSeconds), label.x + label.width - 1))
            svg.path(
                "M\(SVG.number(stem)) \(SVG.number(y + Self.chipHeight))V\(SVG.number(plot.y(hertz: 20_000)))",
                stroke: label.colour, width: 1.5)
        }
        // Drawn last, over the stems of labels in higher lanes.
        for label in labels {
            let y = top(of: label)
            svg.rectangle(
                Rectangle(x: label.x, y: y, width: label.width, height: Self.chipHeight),
                fill: Palette.panel, stroke: label.colour, radius: 4)
            svg.text(
                label.text, x: label.x + 9, y: y + 17,
                SVG.Style(size: Self.fontSize, colour: Palette.text, isFixedPitch: true))
        }
    }

    private func top(of label: Label) -> Double {
        top + Double(laneCount - 1 - label.lane) * Self.laneHeight
    }

    private var laneCount: Int { (labels.map(\.lane).max() ?? -1) + 1 }
}
