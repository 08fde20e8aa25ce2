import Dispatch
import Synchronization

/// Blocks of sound and notices in order, from the one thread that reads the device to the one that consumes them.
///
/// A ring of slots. `head` counts filled slots, `tail` emptied ones; only one side writes each. The writer owns a slot's
/// content until `head` passes it (release); the reader owns it from when it has seen that (acquire) until `tail` passes
/// it. The writer never waits: without room it drops the block, and the next block states how many frames are missing.
///
/// Memory: slotCount · slotFrameCount · channelCount · 4 bytes, once.
final class CaptureRing: @unchecked Sendable {
    let slotFrameCount: Int
    let slotCount: Int
    let channelCount: Int

    /// The samples of all slots; shape [slotCount][slotFrameCount][channelCount].
    private let samples: UnsafeMutablePointer<Float>
    private let headers: UnsafeMutablePointer<CaptureBlock>
    private let head = Atomic(0)
    private let tail = Atomic(0)
    /// Wakes the reader.
    private let bell = DispatchSemaphore(value: 0)

    init(slotCount: Int, slotFrameCount: Int, channelCount: Int) {
        precondition(slotCount > 1 && slotFrameCount > 0 && channelCount > 0)
        self.slotCount = slotCount
        self.slotFrameCount = slotFrameCount
        self.channelCount = channelCount
        samples = .allocate(capacity: slotCount * slotFrameCount * channelCount)
        samples.initialize(repeating: 0, count: slotCount * slotFrameCount * channelCount)
        headers = .allocate(capacity: slotCount)
        headers.initialize(repeating: CaptureBlock(), count: slotCount)
    }

    deinit {
        samples.deallocate()
        headers.deinitialize(count: slotCount).deallocate()
    }

    /// The number of slots that wait for the reader.
    var filledCount: Int { head.load(ordering: .relaxed) - tail.load(ordering: .relaxed) }

    /// Writer: fills a slot. `fill` gets room for `header.frameCount` frames.
    /// - Returns: false if there is no room; then nothing changes.
    func put(_ header: CaptureBlock, fill: (UnsafeMutablePointer<Float>) -> Void) -> Bool {
        precondition(header.frameCount <= slotFrameCount)
        let index = head.load(ordering: .relaxed)
        guard index - tail.load(ordering: .acquiring) < slotCount else { return false }
        headers[index % slotCount] = header
        fill(samples + index % slotCount * slotFrameCount * channelCount)
        head.store(index + 1, ordering: .releasing)
        ring()
        return true
    }

    /// Wakes the reader, even if there is nothing to read.
    func ring() {
        bell.signal()
    }

    /// Reader: takes the next slot, if there is one, and returns it to the writer when `body` returns.
    func take(_ body: (CaptureBlock, Span<Float>) -> Void) -> Bool {
        let index = tail.load(ordering: .relaxed)
        guard index < head.load(ordering: .acquiring) else { return false }
        let slot = index % slotCount
        let header = headers[slot]
        headers[slot].notice = nil
        let count = header.frameCount * channelCount
        let content = UnsafeBufferPointer(start: samples + slot * slotFrameCount * channelCount, count: count)
        body(header, content.span)
        tail.store(index + 1, ordering: .releasing)
        return true
    }

    /// Reader: waits until a call of `ring` or `put` since the last wait, or until `deadline`.
    func wait(until deadline: DispatchTime) {
        _ = bell.wait(timeout: deadline)
    }
}
