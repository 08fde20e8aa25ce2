import Foundation
import TestSupport
import Testing

@testable import EarshotAudio

/// Deliberate faults: `Tests/Support/sanitize.sh` must find each, or its silence about other code proves nothing.
@Suite struct PlantedFaultTests {
    private static let wanted = ProcessInfo.processInfo.environment["EARSHOT_PLANTED_FAULT"]

    /// The ring's test on a ring without barriers.
    @Test(.enabled(if: wanted == "race", "for Tests/Support/sanitize.sh")) func race() async throws {
        let ring = UnsynchronizedRing()
        let passage = RingPassage(seconds: 3)
        async let written = onThread { passage.write { ring.put($0, fill: $1) } }
        async let read = onThread { passage.read(wait: { usleep(100) }, take: { ring.take($0) }) }
        _ = try await (written, read)
    }

    /// Decodes a period into a buffer that is one sample too short.
    @Test(.enabled(if: wanted == "overflow", "for Tests/Support/sanitize.sh")) func overflow() {
        let bytes = [UInt8](repeating: 1, count: 2_880)
        let samples = UnsafeMutablePointer<Float>.allocate(capacity: 1_439)
        defer { samples.deallocate() }
        bytes.withUnsafeBytes { DeviceEncoding.s16.decode($0, count: 1_440, into: samples) }
        #expect(samples[1_438] != 0)
    }

    /// Reads a block after its ring was freed.
    @Test(.enabled(if: wanted == "use-after-free", "for Tests/Support/sanitize.sh")) func useAfterFree() {
        var kept: UnsafeMutablePointer<Float>?
        do {
            let ring = CaptureRing(slotCount: 2, slotFrameCount: 1_440, channelCount: 1)
            #expect(ring.put(CaptureBlock()) { kept = $0 })
        }
        #expect(kept?[7] != 1)
    }
}

/// `CaptureRing` without its atomics.
private final class UnsynchronizedRing: @unchecked Sendable {
    private static let slotCount = 8
    private static let slotSampleCount = 128

    private let samples = UnsafeMutablePointer<Float>.allocate(capacity: slotCount * slotSampleCount)
    /// Headers without notices: their counted references would crash before a sanitizer has reported the race.
    private let frameCounts = UnsafeMutablePointer<Int>.allocate(capacity: slotCount)
    private let counts = UnsafeMutablePointer<Int>.allocate(capacity: 2)

    init() {
        samples.initialize(repeating: 0, count: Self.slotCount * Self.slotSampleCount)
        frameCounts.initialize(repeating: 0, count: Self.slotCount)
        counts.initialize(repeating: 0, count: 2)
    }

    deinit {
        samples.deallocate()
        frameCounts.deallocate()
        counts.deallocate()
    }

    func put(_ header: CaptureBlock, fill: (UnsafeMutablePointer<Float>) -> Void) -> Bool {
        let head = counts[0]
        guard head - counts[1] < Self.slotCount else { return false }
        frameCounts[head % Self.slotCount] = header.frameCount
        fill(samples + head % Self.slotCount * Self.slotSampleCount)
        counts[0] = head + 1
        return true
    }

    func take(_ body: (CaptureBlock, Span<Float>) -> Void) -> Bool {
        let tail = counts[1]
        guard tail < counts[0] else { return false }
        var header = CaptureBlock()
        header.frameCount = frameCounts[tail % Self.slotCount]
        let first = samples + tail % Self.slotCount * Self.slotSampleCount
        body(header, UnsafeBufferPointer(start: first, count: 2 * header.frameCount).span)
        counts[1] = tail + 1
        return true
    }
}
