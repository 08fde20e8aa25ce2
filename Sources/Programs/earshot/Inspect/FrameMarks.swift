import EarshotCoding
import EarshotDrawing
import EarshotModem

/// A decoded frame on the spectrogram: its outline, and each tone at its expected time and frequency.
struct FrameMarks {
    /// Narrower tones get no marks, which would only hide the energies.
    private static let minimumTonePixels = 2.2
    /// A narrower frame gets bars at its lower and upper edge instead of an outline.
    private static let minimumFramePixels = 14.0

    private let frame: ReceivedFrame
    /// The colours of the outline and of the data tones.
    private let colours: (outline: String, data: String)
    private let profile: Profile?
    private let tones: [Int]
    private let startSeconds: Double
    private let endSeconds: Double

    init(_ frame: ReceivedFrame, colours: (outline: String, data: String), sampleRateHertz: Int) {
        self.frame = frame
        self.colours = colours
        profile = Profile.named(frame.profileName)
        let transmitter = profile.flatMap { try? Transmitter(profile: $0, sampleRateHertz: sampleRateHertz) }
        tones = transmitter?.tones(frame.payload) ?? []
        startSeconds = Double(frame.startSample) / Double(sampleRateHertz)
        endSeconds = Double(frame.endSample) / Double(sampleRateHertz)
    }

    /// Whether single tones are wide enough for marks.
    func showsTones(_ plot: Plot) -> Bool {
        !tones.isEmpty
            && (endSeconds - startSeconds) * plot.pixelsPerSecond / Double(tones.count) >= Self.minimumTonePixels
    }

    func draw(into svg: inout SVG, _ plot: Plot) {
        guard let profile else { return }
        // Doppler and clock error stretch frequencies and times alike; the frame's start and end include the stretch.
        let stretch = 1 + frame.offsetHertz / profile.centreHertz
        let top = plot.y(hertz: profile.highestHertz * stretch)
        let bottom = plot.y(hertz: profile.lowestHertz * stretch)
        let left = plot.x(seconds: startSeconds)
        let right = plot.x(seconds: endSeconds)
        let outline = Rectangle(x: left, y: top, width: right - left, height: bottom - top)
        if outline.width >= Self.minimumFramePixels {
            svg.path(outline.outline, stroke: colours.outline, width: 1.5)
        } else {
            let bars = [top, bottom].map { "M\(SVG.number(left)) \(SVG.number($0))H\(SVG.number(right))" }
            svg.path(bars.joined(), stroke: colours.outline, width: 3)
        }
        guard showsTones(plot) else { return }
        let toneWidth = outline.width / Double(tones.count)
        let toneHeight = profile.toneSpacingHertz * plot.pixelsPerHertz
        let layout = FrameLayout(payloadByteCount: frame.payload.count)
        let headerPlaces = (0..<layout.headerToneCount).map { FrameLayout.headerPlace($0) }
        var (sync, header, data) = ("", "", "")
        for (index, tone) in tones.enumerated() {
            let y = plot.y(hertz: profile.toneHertz(tone) * stretch)
            let mark = Rectangle(
                x: left + Double(index) * toneWidth, y: y - toneHeight / 2, width: toneWidth, height: toneHeight)
            if FrameLayout.syncIndex(at: index) != nil {
                sync += mark.outline
            } else if headerPlaces.contains(index) {
                header += mark.outline
            } else {
                data += mark.outline
            }
        }
        let fine = min(1.3, max(0.6, toneWidth / 6))
        let background = Palette.background
        // A dark rim sets the marks off from the brightest energies too.
        svg.path(data + header + sync, stroke: background, width: fine + 2, opacity: 0.6)
        svg.path(data, stroke: colours.data, width: fine, opacity: 0.9)
        if !header.isEmpty { svg.path(header, stroke: Palette.header, width: fine + 0.6) }
        svg.path(sync, stroke: Palette.sync, width: fine + 0.6)
    }
}
