import Dispatch
import Synchronization

/// Blocks of sound and notices in order, from the one thread that reads the device to the one that consumes them.
///
/// A ring of slots, and a ring of frames for their samples. `head` counts filled slots, `tail` emptied ones; only one side
/// writes each. The writer owns a slot and its samples until `head` passes it (release); the reader owns them from when it has
/// seen that (acquire) until `tail` passes it. The writer never waits: without room it drops the block, and the next block
/// states how many frames are missing.
///
/// A block's samples are contiguous, so up to a block at the end of the frames stays empty. Memory: frameCapacity ·
/// channelCount · 4 bytes, once.
final class CaptureRing: @unchecked Sendable {
    let slotFrameCount: Int
    let slotCount: Int
    let channelCount: Int
    /// The length of the ring of frames.
    let frameCapacity: Int

    private struct Slot {
        var block = CaptureBlock()
        /// The places of its frames, counted from the start of the recording; modulo frameCapacity in `samples`.
        var firstFrame = 0
        var endFrame = 0
    }

    /// Shape [frameCapacity][channelCount].
    private let samples: UnsafeMutablePointer<Float>
    private let slots: UnsafeMutablePointer<Slot>
    private let head = Atomic(0)
    private let tail = Atomic(0)
    /// The end of the frames of the last emptied slot. The reader writes it before `tail`.
    private let emptiedFrame = Atomic(0)
    /// The end of the frames of the last filled slot.
    private let filledFrame = Atomic(0)
    /// Wakes the reader.
    private let bell = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - slotCount: the maximum number of blocks and notices, above 1.
    ///   - slotFrameCount: the maximum length of a block.
    ///   - channelCount: the channels.
    ///   - frameCapacity: the length of all blocks together, at least two blocks; nil has room for slotCount blocks.
    init(slotCount: Int, slotFrameCount: Int, channelCount: Int, frameCapacity: Int? = nil) {
        precondition(slotCount > 1 && slotFrameCount > 0 && channelCount > 0)
        self.slotCount = slotCount
        self.slotFrameCount = slotFrameCount
        self.channelCount = channelCount
        self.frameCapacity = max(2 * slotFrameCount, frameCapacity ?? slotCount * slotFrameCount)
        samples = .allocate(capacity: self.frameCapacity * channelCount)
        samples.initialize(repeating: 0, count: self.frameCapacity * channelCount)
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: Slot(), count: slotCount)
    }

    deinit {
        samples.deallocate()
        slots.deinitialize(count: slotCount).deallocate()
    }

    /// The number of slots that wait for the reader.
    var filledCount: Int { head.load(ordering: .relaxed) - tail.load(ordering: .relaxed) }

    /// The filled share of the ring, 0 ... 1: of slots or of frames, the larger one.
    var fill: Double {
        let frames = filledFrame.load(ordering: .relaxed) - emptiedFrame.load(ordering: .relaxed)
        return max(Double(filledCount) / Double(slotCount), Double(frames) / Double(frameCapacity))
    }

    /// Writer: fills a slot. `fill` gets room for `header.frameCount` frames.
    /// - Returns: false if there is no room; then nothing changes.
    func put(_ header: CaptureBlock, fill: (UnsafeMutablePointer<Float>) -> Void) -> Bool {
        precondition(header.frameCount <= slotFrameCount)
        let index = head.load(ordering: .relaxed)
        guard index - tail.load(ordering: .acquiring) < slotCount else { return false }
        var first = filledFrame.load(ordering: .relaxed)
        // A block that would pass the end begins at the start.
        if first % frameCapacity + header.frameCount > frameCapacity {
            first += frameCapacity - first % frameCapacity
        }
        let end = first + header.frameCount
        guard end - emptiedFrame.load(ordering: .acquiring) <= frameCapacity else { return false }
        slots[index % slotCount] = Slot(block: header, firstFrame: first, endFrame: end)
        fill(samples + first % frameCapacity * channelCount)
        filledFrame.store(end, ordering: .relaxed)
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
        let slot = slots[index % slotCount]
        slots[index % slotCount].block.notice = nil
        let content = UnsafeBufferPointer(
            start: samples + slot.firstFrame % frameCapacity * channelCount,
            count: slot.block.frameCount * channelCount)
        body(slot.block, content.span)
        emptiedFrame.store(slot.endFrame, ordering: .releasing)
        tail.store(index + 1, ordering: .releasing)
        return true
    }

    /// Reader: waits until a call of `ring` or `put` since the last wait, or until `deadline`.
    func wait(until deadline: DispatchTime) {
        _ = bell.wait(timeout: deadline)
    }
}
