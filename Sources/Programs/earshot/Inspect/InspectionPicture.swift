import EarshotBasics
import EarshotCoding
import EarshotConsole
import EarshotDrawing
import EarshotModem

/// The whole picture: title, labels, spectrogram with axes and marks, legend, evidence.
struct InspectionPicture {
    static let width = 1_200.0
    static let margin = 28.0

    private let inspection: Inspection
    private let cells: EnergyCells
    private let colours: FrameColours
    private let labels: FrameLabels
    private let plot: Plot

    init(_ inspection: Inspection) {
        self.inspection = inspection
        cells = EnergyCells(inspection.spectrogram)
        let left = Self.margin + 50
        let width = Self.width - left - Self.margin
        let times = inspection.startSeconds...(inspection.startSeconds + inspection.seconds)
        colours = FrameColours(inspection.frames)
        labels = FrameLabels(inspection, colours: colours, left: left, width: width, top: 100)
        plot = Plot(
            frame: Rectangle(x: left, y: labels.bottom + 6, width: width, height: 400), times: times,
            hertz: Inspection.shownHertz)
    }

    func document() -> String {
        let table = FrameTable(inspection, top: plot.frame.bottom + 58)
        let height = table.bottom + Self.margin - 6
        var svg = SVG()
        svg.rectangle(Rectangle(x: 0, y: 0, width: Self.width, height: height), fill: Palette.background, radius: 10)
        drawTitle(&svg)
        let marks = inspection.frames.enumerated().map { index, frame in
            FrameMarks(
                frame, colours: (colours.outline(index), colours.data(index)),
                sampleRateHertz: inspection.sampleRateHertz)
        }
        Legend(
            decibels: cells.decibels, inspection: inspection, colours: colours,
            showsTones: marks.contains { $0.showsTones(plot) }
        ).draw(into: &svg, top: 22)
        drawSpectrogram(&svg)
        plot.drawAxes(into: &svg)
        svg.element(
            "clipPath", ["id": "plot"],
            content: "<path d=\"\(plot.frame.outline)\"/>")
        svg.group(["clip-path": "url(#plot)"]) { svg in
            for mark in marks { mark.draw(into: &svg, plot) }
        }
        labels.draw(into: &svg, plot)
        table.draw(into: &svg)
        return svg.document(
            width: Self.width, height: height, title: "\(inspection.fileName): \(subtitle)",
            description: "Spectrogram of 18.3 to 20.2 kHz with the frames that were decoded.")
    }

    private var subtitle: String {
        let frames = inspection.frames.count
        let channel =
            inspection.channelCount == 1 ? "" : "  ·  channel \(inspection.channel) of \(inspection.channelCount)"
        return "\(DecimalText.grouped(inspection.sampleRateHertz)) Hz  ·  \(inspection.formatName)\(channel)"
            + "  ·  \(DecimalText.text(inspection.seconds, decimals: 3)) s"
            + "  ·  " + (frames == 0 ? "no frame found" : frames == 1 ? "1 frame" : "\(frames) frames")
    }

    private func drawTitle(_ svg: inout SVG) {
        let name = inspection.fileName.count > 48 ? inspection.fileName.prefix(46) + "…" : inspection.fileName[...]
        svg.text(
            String(name).escapedForTerminal, x: Self.margin, y: 46,
            SVG.Style(size: 24, colour: Palette.text, isBold: true))
        svg.text(subtitle, x: Self.margin, y: 72, SVG.Style(size: 15, colour: Palette.faint))
    }

    private func drawSpectrogram(_ svg: inout SVG) {
        let spectrogram = inspection.spectrogram
        svg.rectangle(plot.frame, fill: EnergyCells.colour(level: 0))
        // The viewport clips the last column and the rows at the edges, which reach beyond it.
        let column = spectrogram.columnSeconds * plot.pixelsPerSecond
        let row = spectrogram.rowHertz * plot.pixelsPerHertz
        let lowest = plot.y(hertz: spectrogram.lowestRowHertz) - plot.frame.y
        var inner = SVG()
        inner.group(
            [
                "transform": "translate(0 \(SVG.number(lowest))) scale(\(column) \(row))", "fill": "none",
                "stroke-width": "1", "shape-rendering": "crispEdges",
            ]
        ) { cells.draw(into: &$0) }
        svg.element(
            "svg",
            [
                "x": SVG.number(plot.frame.x), "y": SVG.number(plot.frame.y), "width": SVG.number(plot.frame.width),
                "height": SVG.number(plot.frame.height), "overflow": "hidden",
            ], content: "\n" + inner.body)
    }
}
