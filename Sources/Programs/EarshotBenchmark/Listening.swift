package import EarshotModem

/// A receiver that hears one recording repeatedly, in blocks of 1,024 samples at 48 kHz.
package final class Listening {
    package static let blockLength = 1_024

    private var receiver: Receiver

    /// - Throws: `ModemError`.
    package init(profiles: [Profile] = Profile.all) throws(ModemError) {
        receiver = try Receiver(sampleRateHertz: 48_000, profiles: profiles)
    }

    /// Takes the block that begins at `first`; the last one may be shorter.
    /// - Returns: the number of frames reported.
    @discardableResult
    package func push(_ samples: [Float], from first: Int) -> Int {
        var frameCount = 0
        receiver.push(samples.span.extracting(first..<min(first + Self.blockLength, samples.count))) { _ in
            frameCount += 1
        }
        return frameCount
    }

    /// Takes all blocks.
    /// - Returns: the number of blocks, and of frames reported.
    @discardableResult
    package func push(_ samples: [Float]) -> (blockCount: Int, frameCount: Int) {
        var (blockCount, frameCount) = (0, 0)
        for first in stride(from: 0, to: samples.count, by: Self.blockLength) {
            frameCount += push(samples, from: first)
            blockCount += 1
        }
        return (blockCount, frameCount)
    }
}
