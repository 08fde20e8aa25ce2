import EarshotBasics
import EarshotDrawing
import EarshotLoopback
import EarshotModem

/// The curves of one `simulate` as a picture.
struct WaterfallPicture {
    let chart: CurveChart

    init(_ curves: [SimulatedCurve], seed: Int, summary: String) {
        let channel = curves.first?.channel ?? ""
        let byteCount = curves.first?.scene.payloadByteCount ?? 0
        let trialCount = curves.flatMap(\.points).reduce(0) { $0 + $1.tally.trialCount }
        let wrongCount = curves.flatMap(\.points).reduce(0) { $0 + $1.tally.wrongCount }
        chart = CurveChart(
            title: "Frames decoded in \(channel)", subtitle: summary,
            footnote: "\(byteCount)-byte payloads, \(DecimalText.grouped(trialCount)) trials, seed \(seed), "
                + "\(wrongCount) wrong; bars: 95 %. SNR: a sine of the frame's peak over the noise in 1,500 Hz. Bound: "
                + "the limit of any code with as many tones and bits in white noise.",
            curves)
    }

    func document() -> String { chart.document() }
}
