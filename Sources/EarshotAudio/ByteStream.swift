import Glibc

/// The bytes of a file or pipe from its present position on, forward only.
///
/// A file and a pipe are read by the same calls, so what works on one works on the other. A pipe is never
/// waited for while there is something to deliver: `read` then returns the whole frames it has.
final class ByteStream {
    let descriptor: Descriptor

    /// What is at most left to read of a regular file; nil for a pipe, terminal or device.
    let byteCountAtOpen: Int?

    /// Bytes handed out so far, counted from where `restartCounting` was called last.
    private(set) var position = 0

    /// How many bytes `read` hands out in all, counted like `position`.
    var end = Int.max

    /// Whole multiples of this are handed out, counted like `position`.
    var bytesPerFrame = 1

    /// The `errno` of the read that failed, if one did.
    private(set) var failure: CInt?

    /// True after the source said that there is no more.
    private(set) var isAtEnd = false

    /// Set before each request; cleared by the first byte that is delivered.
    private var mayWait = true

    /// Where the descriptor stood at first.
    private let start: off_t

    /// What `take` and `skip` have handed out, for `copyAll`; nil once it was too much to keep.
    private var taken: [UInt8]? = []

    private static let takenLimit = 1 << 20

    /// Bytes taken from the descriptor and not handed out yet: the peeked ones.
    private var lookahead: [UInt8] = []

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
        if let status = descriptor.status, status.isRegularFile {
            start = max(0, lseek(descriptor.number, 0, SEEK_CUR))
            byteCountAtOpen = max(0, status.st_size - start)
        } else {
            start = 0
            byteCountAtOpen = nil
        }
    }

    /// The next `count` bytes without consuming them; fewer only when the stream ends before.
    func peek(_ count: Int) -> [UInt8] {
        while lookahead.count < count {
            let missing = count - lookahead.count
            let chunk = [UInt8](unsafeUninitializedCapacity: missing) { buffer, filled in
                filled = self.receive(UnsafeMutableRawBufferPointer(buffer))
            }
            if chunk.isEmpty { break }
            lookahead += chunk
        }
        return Array(lookahead.prefix(count))
    }

    /// The next `count` bytes, or nil when the stream ends before.
    func take(_ count: Int) -> [UInt8]? {
        let bytes = peek(count)
        guard bytes.count == count else { return nil }
        lookahead.removeFirst(count)
        position += count
        if let kept = taken?.count, kept + count > Self.takenLimit { taken = nil }
        taken?.append(contentsOf: bytes)
        return bytes
    }

    /// Reads over `count` bytes; false when the stream ends before. Memory: 4 KiB, whatever the count.
    func skip(_ count: Int) -> Bool {
        var remaining = count
        while remaining > 0 {
            guard let taken = take(min(remaining, 4096)) else { return false }
            remaining -= taken.count
        }
        return true
    }

    /// Makes the present position zero.
    func restartCounting() {
        position = 0
    }

    /// Puts the descriptor back to the beginning of its file; false if this stream did not begin there.
    func rewindToFileStart() -> Bool {
        byteCountAtOpen != nil && start == 0 && lseek(descriptor.number, 0, SEEK_SET) == 0
    }

    /// Everything goes to `target`, what was taken already too.
    func copyAll(to target: Descriptor, path: String) throws(AudioError) {
        guard let taken else {
            throw AudioError(
                .unsupported, operation: "read", path: path,
                detail: "more than \(Self.takenLimit) bytes come before its compressed samples",
                advice: "Save it to a file and read that")
        }
        lookahead = taken + lookahead
        while case let block = peek(65_536), !block.isEmpty {
            lookahead.removeFirst(block.count)
            if let code = block.withUnsafeBytes({ target.writeAll($0) }) {
                throw .system(code, operation: "write", path: path, fallback: .cannotWrite)
            }
        }
        if let failure { throw .system(failure, operation: "read", path: path, fallback: .cannotRead) }
    }

    /// Announces a new request: its first byte may be waited for, the rest only taken if it is there.
    func beginRequest() {
        mayWait = true
    }

    /// Fills `target` as far as bytes are there, in whole frames. 0 at the end, after a failure, or when this
    /// request has got something already and more would have to be waited for.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        let wanted = min(target.count, end - position)
        var count = 0
        while count < wanted {
            let isWhole = (position + count).isMultiple(of: bytesPerFrame)
            if count > 0 || !mayWait, isWhole, !isReady { break }
            let received: Int
            let rest = UnsafeMutableRawBufferPointer(rebasing: target[count..<wanted])
            if lookahead.isEmpty {
                received = receive(rest)
            } else {
                received = min(lookahead.count, rest.count)
                rest.copyBytes(from: lookahead[..<received])
                lookahead.removeFirst(received)
            }
            if received == 0 {
                // What is left of a frame that was cut is no sample.
                count -= min(count, (position + count) % bytesPerFrame)
                break
            }
            mayWait = false
            count += received
        }
        position += count
        return count
    }

    /// True when a read would not wait. A regular file never does.
    private var isReady: Bool {
        if byteCountAtOpen != nil || !lookahead.isEmpty { return true }
        var request = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0
    }

    /// One successful `read(2)`; 0 at the end or after a failure.
    private func receive(_ target: UnsafeMutableRawBufferPointer) -> Int {
        if isAtEnd || failure != nil { return 0 }
        while true {
            let count = Glibc.read(descriptor.number, target.baseAddress, target.count)
            if count > 0 { return count }
            if count == 0 {
                isAtEnd = true
                return 0
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var request = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
                _ = poll(&request, 1, -1)
            case let code:
                failure = code
                return 0
            }
        }
    }
}
