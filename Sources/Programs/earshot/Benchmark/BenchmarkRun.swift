import CMalloc
import EarshotBenchmark
import EarshotModem

/// The measurement of `earshot benchmark`: rounds of short passes.
final class BenchmarkRun {
    /// One line of the table: a sound, and the profiles' speeds.
    private static let sounds: [(traffic: @Sendable (Profile) -> Traffic, seconds: Int)] = [
        ({ _ in .noise }, 10),
        ({ .tokenEvery(10, snrDecibels: 20, profile: $0) }, 10),
        ({ .tokenEvery(3, snrDecibels: 20, profile: $0) }, 9),
        ({ .tokenEvery(3, snrDecibels: 0, profile: $0) }, 9),
    ]
    /// The sound of the live channels.
    static let liveSound = Traffic.tokenEvery(10, snrDecibels: 20)
    /// The share of the time that live channels get.
    private static let liveShare = 0.25
    /// The minimum number of rounds: with fewer, one disturbance could decide the result.
    private static let minimumRoundCount = 3

    let speeds: [DecodingSpeed]
    let live: LiveChannels
    let coreCount: Int
    /// Memory of a receiver of all profiles that has heard tokens, in bytes.
    let channelByteCount: Int
    /// The allocations in noise and with tokens; nil where the C library cannot count them.
    let noiseAllocations: AllocationTrace.Count?
    let tokenAllocations: AllocationTrace.Count?
    /// The minimum processor time of the loop for a second of sound, in seconds.
    private(set) var loopSecondsPerSecond = Double.infinity

    private let loop: ReferenceLoop

    init(coreCount: Int) throws {
        self.coreCount = coreCount
        noiseAllocations = AllocationTrace.count(.noise)
        tokenAllocations = AllocationTrace.count(.tokens)
        channelByteCount = try Self.measuredByteCount()
        loop = ReferenceLoop(try Traffic.noise.samples(seconds: 10))
        speeds = try Self.sounds.flatMap { sound in
            try (Profile.all + [nil]).map { profile in
                try DecodingSpeed(sound.traffic(profile ?? .standard), seconds: sound.seconds, profile: profile)
            }
        }
        live = try LiveChannels(Self.liveSound, seconds: 10, coreCount: coreCount, loop: loop)
    }

    /// Measures for about `seconds`.
    /// - Parameters:
    ///   - names: the figures to measure; nil for all.
    ///   - onProgress: gets the share that is done, 0 ... 1.
    func measure(seconds: Double, only names: Set<String>? = nil, onProgress: (Double) -> Void) {
        let start = wallSeconds()
        func elapsed() -> Double { wallSeconds() - start }
        let wanted = speeds.filter { names?.contains(Self.name($0)) ?? true }
        let isLiveWanted = names?.contains(Self.liveName) ?? true
        let speedShare = !isLiveWanted ? 1 : wanted.isEmpty ? 0 : 1 - Self.liveShare
        for speed in wanted { speed.begin() }
        if isLiveWanted { live.begin() }
        var roundCount = 0
        while !wanted.isEmpty, roundCount < Self.minimumRoundCount || elapsed() < seconds * speedShare {
            for speed in wanted {
                let loopStart = processorSeconds()
                loop.run()
                let loopSeconds = (processorSeconds() - loopStart) / loop.seconds
                loopSecondsPerSecond = min(loopSecondsPerSecond, loopSeconds)
                speed.run(afterLoop: loopSeconds)
                onProgress(min(elapsed() / seconds, speedShare))
            }
            roundCount += 1
        }
        roundCount = 0
        while isLiveWanted, roundCount < Self.minimumRoundCount || elapsed() < seconds {
            live.run()
            onProgress(min(elapsed() / seconds, 1))
            roundCount += 1
        }
    }

    /// Multiples of real time on one core.
    func realTime(_ speed: DecodingSpeed) -> Double { 1 / speed.secondsPerSecond }

    /// Everything that `--compare` compares.
    var figures: [BenchmarkFigure] {
        let loops = "of the loop's time"
        var figures = speeds.map { BenchmarkFigure(name: Self.name($0), value: $0.relative, unit: loops) }
        figures.append(BenchmarkFigure(name: Self.liveName, value: live.relative, unit: loops))
        figures.append(BenchmarkFigure(name: "memory", value: Double(channelByteCount), unit: "bytes a channel"))
        if let noiseAllocations {
            figures.append(
                BenchmarkFigure(
                    name: "allocations", value: Double(noiseAllocations.allocationCount), unit: "allocations"))
        }
        if let tokenAllocations {
            let share = Double(tokenAllocations.allocationCount) / Double(max(tokenAllocations.frameCount, 1))
            figures.append(BenchmarkFigure(name: "allocations a token", value: share, unit: "allocations a token"))
        }
        return figures
    }

    static let liveName = "live"

    static func name(_ speed: DecodingSpeed) -> String { "\(speed.profileName), \(speed.traffic.name)" }

    /// The mean of several receivers, so that the C library's own memory counts little.
    private static func measuredByteCount() throws -> Int {
        let samples = try liveSound.samples(seconds: 10)
        let count = 8
        let before = allocatedByteCount
        let channels = try (0..<count).map { _ in try Listening() }
        for channel in channels { channel.push(samples) }
        let after = allocatedByteCount
        return withExtendedLifetime(channels) { (after - before) / count }
    }

    private static var allocatedByteCount: Int {
        let memory = mallinfo2()
        return Int(memory.uordblks) + Int(memory.hblkhd)
    }
}
