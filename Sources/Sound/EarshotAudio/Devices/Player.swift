import EarshotSystem
import Glibc

/// The playback thread: keeps the device's buffer full, of sounds or of silence.
final class Player: @unchecked Sendable {
    /// After this many waits without room, a device counts as gone.
    private static let patienceWaits = 50
    private static let waitMilliseconds = 100
    /// The ramp at the end of an interrupted sound, in seconds: the transmitter's ramp, which does not click either.
    private static let rampSeconds = 0.005

    /// A sound that is being written or still leaving the device.
    private struct Running {
        let sound: PlaybackQueue.Sound
        let completion: PlaybackQueue.Completion
        /// Samples written so far.
        var position = 0
        var playback: Playback
        /// The total count of written frames after its last one; known once that is written.
        var endFrame = Int.max
    }

    private let pcm: PCM
    private let format: DeviceFormat
    private let queue: PlaybackQueue
    private let worker: Worker
    /// One period; shape [periodFrameCount][channelCount].
    private var period: [Float]
    private let bytes: UnsafeMutableRawBufferPointer
    private let bytesPerFrame: Int
    /// Frames of `bytes` not written yet.
    private var unwritten = 0..<0
    private var written = 0
    private var current: Running?
    /// Sounds written to their end that the device has not played to their end.
    private var leaving: [Running] = []
    private var holes = HoleDetector()
    /// Whether the device takes sound faster than it can play it, as ALSA's `null` does.
    private var isUnpaced = false

    /// Fills the device's buffer with silence and starts playback.
    init(_ pcm: consuming PCM, queue: PlaybackQueue, worker: Worker) throws(DeviceError) {
        format = pcm.format
        self.pcm = pcm
        self.queue = queue
        self.worker = worker
        bytesPerFrame = format.channelCount * format.encoding.bytesPerSample
        period = [Float](repeating: 0, count: format.periodFrameCount * format.channelCount)
        bytes = .allocate(byteCount: format.periodFrameCount * bytesPerFrame, alignment: 16)
        let problem = fill()
        if problem < 0 { throw self.pcm.failure(problem, "play to") }
        try self.pcm.start()
    }

    deinit {
        bytes.deallocate()
    }

    func run() {
        var timeoutCount = 0
        while !worker.isStopping || !isSilent {
            let ready = pcm.wait(milliseconds: Self.waitMilliseconds)
            var problem = ready < 0 ? ready : 0
            timeoutCount = ready > 0 ? 0 : timeoutCount + 1
            if ready > 0 { problem = fill() }
            if problem == 0, timeoutCount > Self.patienceWaits { problem = Int(-EIO) }
            if problem < 0, !restart(after: problem) {
                let error = pcm.failure(problem, "play to")
                queue.end(error)
                for running in [current].compactMap({ $0 }) + leaving { running.completion(.failure(error)) }
                worker.requestStop()
                return
            }
            complete()
            // The device has no clock, so ours says when the next buffer is due.
            if isUnpaced { worker.pause(seconds: Double(format.bufferFrameCount) / Double(format.sampleRateHertz)) }
        }
    }

    /// Whether no sound is being written or leaving.
    private var isSilent: Bool { current == nil && leaving.isEmpty }

    /// Writes as many frames as there is room for, and at most a buffer.
    /// - Returns: 0, or a negative errno.
    private func fill() -> Int {
        let start = written
        isUnpaced = false
        while true {
            if unwritten.isEmpty {
                guard let available = pcm.availableFrameCount else { return Int(-EPIPE) }
                if available < format.periodFrameCount { return 0 }
                isUnpaced = written - start >= format.bufferFrameCount
                if isUnpaced { return 0 }
                compose(available: available)
            }
            guard let base = bytes.baseAddress else { return 0 }
            let count = pcm.write(base + unwritten.lowerBound * bytesPerFrame, frameCount: unwritten.count)
            if count == -EAGAIN || count == 0 { return 0 }
            if count < 0 { return count }
            unwritten = unwritten.lowerBound + count..<unwritten.upperBound
            written += count
        }
    }

    /// Composes the next period.
    private func compose(available: Int) {
        let frameCount = format.periodFrameCount
        let delay = pcm.delayFrameCount ?? format.bufferFrameCount - available
        let now = MonotonicTime.nanoseconds
        for index in period.indices { period[index] = 0 }
        var first = 0
        while first < frameCount {
            let blockEnd = now + nanoseconds(delay + frameCount)
            if current == nil, !worker.isStopping, let (sound, completion) = queue.next(before: blockEnd) {
                if let wanted = sound.beginNanoseconds {
                    let early = wanted - now - nanoseconds(delay + first)
                    first += min(max(0, Int(early) * format.sampleRateHertz / 1_000_000_000), frameCount - first - 1)
                }
                let begin = now + nanoseconds(delay + first)
                let playback = Playback(
                    beginNanoseconds: begin, endNanoseconds: begin + nanoseconds(sound.samples.count), underrunCount: 0)
                current = Running(sound: sound, completion: completion, playback: playback)
            }
            guard var running = current else { break }
            let samples = running.sound.samples
            let count = min(frameCount - first, samples.count - running.position)
            for index in 0..<count {
                for channel in 0..<format.channelCount {
                    period[(first + index) * format.channelCount + channel] = samples[running.position + index]
                }
            }
            running.position += count
            first += count
            let isCut = worker.isStopping
            if isCut { fadeOut(frameCount: first) }
            if running.position == samples.count || isCut {
                running.endFrame = written + first
                leaving.append(running)
                current = nil
            } else {
                current = running
            }
        }
        period.withUnsafeBufferPointer { format.encoding.encode($0, into: bytes) }
        unwritten = 0..<frameCount
    }

    /// Ends the sound with a ramp over the period's first `frameCount` frames.
    private func fadeOut(frameCount: Int) {
        let ramp = max(1, min(frameCount, Int(Self.rampSeconds * Double(format.sampleRateHertz))))
        for index in 0..<frameCount {
            let gain = max(0, 1 - Float(index + 1) / Float(ramp))
            for channel in 0..<format.channelCount {
                period[index * format.channelCount + channel] *= gain
            }
        }
    }

    /// Restarts after an underrun: the device has played its whole buffer.
    private func restart(after problem: Int) -> Bool {
        guard pcm.recover(from: problem) else { return false }
        countUnderrun()
        holes = HoleDetector()
        guard fill() >= 0 else { return false }
        do {
            try pcm.start()
        } catch {
            return false
        }
        return true
    }

    /// Counts a hole in every sound that is playing now.
    private func countUnderrun() {
        current?.playback.underrunCount += 1
        for index in leaving.indices { leaving[index].playback.underrunCount += 1 }
    }

    /// Completes the sounds that have left the device.
    private func complete() {
        let delay = pcm.delayFrameCount
        let played = written - (delay ?? format.bufferFrameCount)
        if delay != nil,
            holes.look(
                playedSeconds: Double(played) / Double(format.sampleRateHertz),
                nowSeconds: Double(MonotonicTime.nanoseconds) / 1e9) != nil
        {
            countUnderrun()
        }
        while let first = leaving.first, first.endFrame <= played {
            leaving.removeFirst()
            first.completion(.success(first.playback))
        }
    }

    private func nanoseconds(_ frameCount: Int) -> Int64 {
        Int64(frameCount) * 1_000_000_000 / Int64(format.sampleRateHertz)
    }
}
