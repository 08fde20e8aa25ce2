import EarshotModem

/// Listens for a run in which time is a sample count: in a file, or in simulated air.
///
/// It processes ten milliseconds at a time, so that a frame has the latency of a live one, and not that of a file's
/// block.
struct OfflineEar: ~Copyable {
    private let run: LoopbackRun
    private let blockLength: Int
    private var receiver: Receiver
    private var heardCount = 0

    init(_ run: LoopbackRun) {
        self.run = run
        let order = run.program.order
        blockLength = order.sampleRateHertz / 100
        guard let receiver = try? Receiver(sampleRateHertz: order.sampleRateHertz, profiles: order.profiles) else {
            preconditionFailure("no receiver at \(order.sampleRateHertz) Hz")
        }
        self.receiver = receiver
    }

    /// The time in seconds: the length of the sound heard so far.
    var seconds: Double { Double(heardCount) / Double(run.program.sampleRateHertz) }

    /// Takes the next samples.
    mutating func hear(_ samples: Span<Float>) {
        var first = 0
        while first < samples.count {
            let block = samples.extracting(first..<min(first + blockLength, samples.count))
            run.recorded(block)
            heardCount += block.count
            let now = seconds
            receiver.push(block) { run.received($0, atSeconds: now) }
            first += block.count
        }
    }

    /// Ends the sound.
    mutating func finish() {
        let now = seconds
        receiver.flush { run.received($0, atSeconds: now) }
    }
}
