import EarshotCoding
import EarshotModem

/// The place of the program in the recording.
///
///     recorded sample = origin + stretch·program sample
struct TimeAlignment {
    /// The sample of the recording at which the program's first sample would be.
    var origin: Double
    /// Above 1 if the recorder's clock is the faster one.
    var stretch = 1.0

    /// The alignment from one sweep or two; without a sweep, from the frames themselves.
    init?(_ recording: LoopbackRecording, _ sweeps: HeardSweeps) {
        let program = recording.program
        let openingStart = Double(program.openingSweep.lowerBound)
        let closingStart = Double(program.closingSweep.lowerBound)
        switch (sweeps.opening, sweeps.closing) {
        case (let opening?, let closing?):
            stretch = (closing.firstSample - opening.firstSample) / (closingStart - openingStart)
            origin = opening.firstSample - stretch * openingStart
        case (let opening?, nil):
            origin = opening.firstSample - openingStart
        case (nil, let closing?):
            origin = closing.firstSample - closingStart
        case (nil, nil):
            guard let median = Self.medianOffset(recording) else { return nil }
            origin = median
        }
    }

    /// The sample of the recording at which a sample of the program is heard.
    func recordedSample(_ programSample: Int) -> Double {
        origin + stretch * Double(programSample)
    }

    /// The delay from sending frames to hearing them: the median, because up to half of them may be wrong.
    private static func medianOffset(_ recording: LoopbackRecording) -> Double? {
        let starts = Dictionary(
            recording.program.sendings.map { ($0.payload, $0.samples.lowerBound) },
            uniquingKeysWith: { first, _ in first })
        let offsets = recording.heard.compactMap { heard in
            starts[heard.frame.payload].map { heard.frame.startSample - $0 }
        }
        return offsets.isEmpty ? nil : Double(offsets.sorted()[offsets.count / 2])
    }
}
