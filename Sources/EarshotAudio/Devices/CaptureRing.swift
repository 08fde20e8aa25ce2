import Dispatch
import Synchronization

/// Blocks of sound and notices, from the one thread that reads the device to the one that works on them, in order.
///
/// A ring of slots. `head` counts slots that were filled, `tail` slots that were emptied; each is written by one side
/// only. A slot's content belongs to the writer until `head` passes it (release) and to the reader from when it has seen
/// that (acquire) until `tail` passes it. The writer never waits: where there is no room it drops the block, and says
/// with the next one how much is missing.
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
    /// What wakes the reader.
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

    /// Slots that wait to be read.
    var filledCount: Int { head.load(ordering: .relaxed) - tail.load(ordering: .relaxed) }

    /// Writer: fills a slot. `fill` gets room for `frameCount` frames.
    /// - Returns: false where there is no room; nothing is changed then.
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

    /// Wakes the reader, though there may be nothing to read.
    func ring() {
        bell.signal()
    }

    /// Reader: takes the next slot, if there is one, and gives it back when `body` returns.
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

    /// Reader: waits until somebody has rung since the last wait, or until `deadline`.
    func wait(until deadline: DispatchTime) {
        _ = bell.wait(timeout: deadline)
    }
}
