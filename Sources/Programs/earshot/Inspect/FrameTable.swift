import EarshotBasics
import EarshotCoding
import EarshotConsole
import EarshotDrawing
import EarshotModem

/// The evidence below the spectrogram: a line for each frame, and the receiver's rejections.
struct FrameTable {
    private static let rowHeight = 24.0
    private static let maximumRowCount = 12
    private static let payloadCharacterCount = 66
    private static let size = 13.0

    private let inspection: Inspection
    private let top: Double

    init(_ inspection: Inspection, top: Double) {
        self.inspection = inspection
        self.top = top
    }

    private var shownCount: Int { min(inspection.frames.count, Self.maximumRowCount) }
    private var hasRest: Bool { inspection.frames.count > shownCount }
    /// The y coordinate below the last line.
    var bottom: Double {
        let rows = inspection.frames.isEmpty ? 0 : shownCount + 1 + (hasRest ? 1 : 0)
        return top + Double(rows) * Self.rowHeight + 22
    }

    func draw(into svg: inout SVG) {
        var y = top
        let faint = SVG.Style(size: Self.size, colour: Palette.faint, isFixedPitch: true)
        let bright = SVG.Style(size: Self.size, colour: Palette.text, isFixedPitch: true)
        if !inspection.frames.isEmpty {
            drawRow(
                ["#", "payload", "profile", "start", "end", "SNR", "offset", "path metric"], &svg, y: y, style: faint)
            svg.path(
                "M\(SVG.number(InspectionPicture.margin)) \(SVG.number(y + 8))"
                    + "H\(SVG.number(InspectionPicture.width - InspectionPicture.margin))",
                stroke: Palette.line)
            y += Self.rowHeight + 2
            for (index, frame) in inspection.frames.prefix(shownCount).enumerated() {
                drawRow(cells(index, frame), &svg, y: y, style: bright)
                y += Self.rowHeight
            }
            if hasRest {
                svg.text(
                    "and \(inspection.frames.count - shownCount) more: choose a shorter stretch, or see earshot decode",
                    x: columns[1].x, y: y, faint)
                y += Self.rowHeight
            }
        }
        svg.text(refusals, x: InspectionPicture.margin, y: y + 6, faint)
    }

    private var columns: [(x: Double, anchor: SVG.Anchor)] {
        let right = InspectionPicture.width - InspectionPicture.margin
        return [
            (InspectionPicture.margin, .start), (InspectionPicture.margin + 34, .start), (right - 548, .start),
            (right - 395, .end), (right - 305, .end), (right - 205, .end), (right - 107, .end), (right, .end),
        ]
    }

    private func drawRow(_ texts: [String], _ svg: inout SVG, y: Double, style: SVG.Style) {
        for (text, column) in zip(texts, columns) {
            svg.text(text, x: column.x, y: y, style, anchor: column.anchor)
        }
    }

    private func cells(_ index: Int, _ frame: ReceivedFrame) -> [String] {
        let rate = Double(inspection.sampleRateHertz)
        return [
            "\(index + 1)", payloadText(frame.payload), frame.profileName,
            "\(DecimalText.text(Double(frame.startSample) / rate, decimals: 3)) s",
            "\(DecimalText.text(Double(frame.endSample) / rate, decimals: 3)) s",
            "\(DecimalText.text(Double(frame.snrDecibels), decimals: 1)) dB",
            "\(DecimalText.text(frame.offsetHertz, decimals: 1)) Hz",
            DecimalText.text(Double(frame.pathMetric), decimals: 2),
        ]
    }

    /// The digits, followed by as much of their text as fits.
    private func payloadText(_ payload: Payload) -> String {
        let text = payload.printableText.map { "  \"\($0)\"" } ?? ""
        let room = max(8, Self.payloadCharacterCount - text.count)
        return (payload.hex.count > room ? payload.hex.prefix(room - 1) + "…" : payload.hex[...]) + text
    }

    private var refusals: String {
        let statistics = inspection.statistics
        return "receiver: \(statistics.candidates) candidates, refused by sync pattern \(statistics.rejectedBySync)"
            + ", by path metric \(statistics.rejectedByPathMetric)"
            + ", by evidence \(statistics.rejectedByEvidence), by CRC \(statistics.rejectedByCheck)"
            + ", by crowding \(statistics.rejectedByCrowding)"
            + ", by budget \(statistics.rejectedByBudget)"
    }
}
