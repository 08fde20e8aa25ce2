import EarshotCoding
import EarshotModem

/// The labels above the spectrogram, in as many lanes as it takes to keep them apart.
struct FrameLabels {
    private struct Label {
        let text: String
        let colour: String
        let x: Double
        let width: Double
        let lane: Int
        /// Where the frame it belongs to begins.
        let startSeconds: Double
    }

    private static let laneHeight = 30.0
    private static let chipHeight = 24.0
    private static let fontSize = 14.0
    private static let largestLaneCount = 5

    private let top: Double
    private var labels: [Label] = []

    init(_ inspection: Inspection, left: Double, width: Double, top: Double) {
        self.top = top
        var laneEnds: [Double] = []
        let rate = Double(inspection.sampleRateHertz)
        for (index, frame) in inspection.frames.enumerated().sorted(by: {
            $0.element.startSample < $1.element.startSample
        }) {
            let seconds = Double(frame.startSample) / rate
            let start = left + max(0, seconds - inspection.startSeconds) / inspection.seconds * width
            let name = frame.payload.printableText.map { "\"\($0)\"" } ?? String(frame.payload.hex.prefix(16))
            let cut = frame.payload.count > 8 && frame.payload.printableText == nil ? "…" : ""
            let long =
                "\(index + 1)  \(name)\(cut)  \(frame.profileName)  "
                + "\(DecimalText.text(Double(frame.snrDecibels), decimals: 1)) dB  \(DecimalText.text(seconds, decimals: 3)) s"
            // The whole label where there is room, else the number that stands in the table, else nothing.
            for text in [long, "\(index + 1)"] {
                let labelWidth = SVG.Style.width(characterCount: text.count, size: Self.fontSize) + 18
                let x = min(start, left + width - labelWidth)
                if let lane = Self.lane(&laneEnds, x: x, width: labelWidth) {
                    labels.append(
                        Label(
                            text: text, colour: InspectionPicture.Palette.profile(frame.profileName), x: x,
                            width: labelWidth, lane: lane, startSeconds: seconds))
                    break
                }
            }
        }
    }

    /// Below the lowest lane, which is the one of the first label.
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
        // Over the stems of labels in higher lanes.
        for label in labels {
            let y = top(of: label)
            svg.rectangle(
                Rectangle(x: label.x, y: y, width: label.width, height: Self.chipHeight),
                fill: InspectionPicture.Palette.panel, stroke: label.colour, radius: 4)
            svg.text(
                label.text, x: label.x + 9, y: y + 17,
                SVG.Style(size: Self.fontSize, colour: InspectionPicture.Palette.text, isFixedPitch: true))
        }
    }

    private func top(of label: Label) -> Double {
        top + Double(laneCount - 1 - label.lane) * Self.laneHeight
    }

    private var laneCount: Int { (labels.map(\.lane).max() ?? -1) + 1 }

    /// The lowest lane that is free from x on; nil when all are taken.
    private static func lane(_ ends: inout [Double], x: Double, width: Double) -> Int? {
        if let lane = ends.firstIndex(where: { $0 + 8 <= x }) {
            ends[lane] = x + width
            return lane
        }
        guard ends.count < largestLaneCount else { return nil }
        ends.append(x + width)
        return ends.count - 1
    }
}
