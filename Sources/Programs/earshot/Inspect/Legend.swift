import EarshotBasics
import EarshotCoding
import EarshotDrawing
import EarshotModem

/// The legend of marks and colours, at the upper right.
struct Legend {
    let decibels: ClosedRange<Double>
    let inspection: Inspection
    let colours: FrameColours
    /// Whether any single tone is marked.
    let showsTones: Bool

    func draw(into svg: inout SVG, top: Double) {
        let right = InspectionPicture.width - InspectionPicture.margin
        drawLevels(&svg, right: right, top: top)
        drawMarks(&svg, right: right, y: top + 50)
    }

    private func drawLevels(_ svg: inout SVG, right: Double, top: Double) {
        let style = SVG.Style(size: 14, colour: Palette.faint, isFixedPitch: true)
        let step = 12.0
        let unit = " dBFS"
        let high = DecimalText.text(decibels.upperBound, decimals: 0) + unit
        let low = DecimalText.text(decibels.lowerBound, decimals: 0)
        let barRight = right - SVG.Style.width(characterCount: high.count, size: 14) - 8
        let barLeft = barRight - step * Double(EnergyCells.levelCount)
        for level in 0..<EnergyCells.levelCount {
            svg.rectangle(
                Rectangle(x: barLeft + step * Double(level), y: top + 2, width: step + 0.3, height: 14),
                fill: EnergyCells.colour(level: level))
        }
        svg.text(high, x: right, y: top + 14, style, anchor: .end)
        svg.text(low, x: barLeft - 8, y: top + 14, style, anchor: .end)
    }

    // Only items that the picture has.
    private func drawMarks(_ svg: inout SVG, right: Double, y: Double) {
        guard !inspection.frames.isEmpty else { return }
        let palette = Palette.self
        var items: [(name: String, colour: String)] = []
        if showsTones {
            if !colours.profilesAlone.isEmpty { items.append(("data tone", palette.data)) }
            if inspection.frames.contains(where: { $0.payload.count != Payload.tokenCount }) {
                items.append(("length header", palette.header))
            }
            items.append(("sync tone", palette.sync))
        }
        for name in colours.profilesAlone.sorted(by: >) {
            items.append(("\(name) frame", palette.profile(name)))
        }
        if colours.hasOverlaps {
            items.append(("each overlapping frame in its own colour", FrameColours.talkers[1]))
        }
        var x = right
        for item in items {
            let width = SVG.Style.width(characterCount: item.name.count, size: 14)
            svg.text(
                item.name, x: x, y: y,
                SVG.Style(size: 14, colour: palette.faint, isFixedPitch: true), anchor: .end)
            svg.path(
                Rectangle(x: x - width - 24, y: y - 10, width: 16, height: 10).outline, stroke: item.colour, width: 1.8)
            x -= width + 44
        }
    }
}
