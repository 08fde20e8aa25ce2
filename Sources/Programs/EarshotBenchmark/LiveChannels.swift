import Dispatch
import Synchronization

/// Measures how many channels all cores together decode live: each core takes a block of one channel after another.
///
/// Several receivers do not fit a core's cache, so a channel costs more here than in `DecodingSpeed`.
package final class LiveChannels: @unchecked Sendable {
    /// Channels on each core. A receiver has 6 MB, so a core touches 24 MB between two blocks of a channel; more channels would
    /// take gigabytes on a server.
    package static let channelsPerCore = 4

    private let coreCount: Int
    private let samples: [Float]
    private let loop: ReferenceLoop
    /// The channels of each core. Only its thread touches them.
    private let channels: [[Listening]]
    private var minimumSeconds = Double.infinity
    private var ratios = PairedRatios()

    /// - Parameters:
    ///   - seconds: the length of a pass; a multiple of the traffic's period.
    ///   - coreCount: threads that run at once; 1 or more.
    package init(_ traffic: Traffic, seconds: Int, coreCount: Int, loop: ReferenceLoop) throws {
        self.coreCount = coreCount
        self.loop = loop
        samples = try traffic.samples(seconds: seconds)
        channels = try (0..<coreCount).map { _ in try (0..<Self.channelsPerCore).map { _ in try Listening() } }
    }

    /// Begins another measurement of `relative`.
    package func begin() { ratios.begin() }

    /// Runs one pass on every core at once, and then the loop.
    package func run() {
        let own = meanSeconds { core in
            let (channels, blockLength) = (channels[core], Listening.blockLength)
            for block in 0..<blockCount {
                // Tokens of different channels come at different times, as they would.
                for (index, channel) in channels.enumerated() {
                    let shifted = (block + index * blockCount / channels.count) % blockCount
                    channel.push(samples, from: blockLength * shifted)
                }
            }
        }
        minimumSeconds = min(minimumSeconds, own)
        let loopSeconds = meanSeconds { _ in for _ in 0..<Self.channelsPerCore { loop.run() } } / loop.seconds
        ratios.add(own / soundSeconds / loopSeconds)
    }

    /// The processor time of `body` on each core, the mean of all cores: without the time that other programs had.
    private func meanSeconds(_ body: @Sendable (Int) -> Void) -> Double {
        let sum = Mutex(0.0)
        DispatchQueue.concurrentPerform(iterations: coreCount) { core in
            let start = threadSeconds()
            body(core)
            let seconds = threadSeconds() - start
            sum.withLock { $0 += seconds }
        }
        return sum.withLock { $0 } / Double(coreCount)
    }

    private var blockCount: Int { samples.count / Listening.blockLength }

    /// Processor time for a second of one channel, in seconds.
    private var secondsPerSecond: Double { minimumSeconds / (soundSeconds * Double(Self.channelsPerCore)) }
    private var soundSeconds: Double { Double(blockCount * Listening.blockLength) / 48_000 }

    /// The number of channels that keep every core busy.
    package var channelCount: Double { Double(coreCount) / secondsPerSecond }

    /// The receiver's time over that of the loop for as much sound, both on all cores at once.
    package var relative: Double { ratios.value }
}
