import EarshotSystem
import Glibc

/// The bytes of a file or pipe from its current position on, forward only.
///
/// The same calls read a file and a pipe, so both behave alike. `read` does not wait for a pipe while it has whole
/// frames to deliver: it returns those.
final class ByteStream {
    let descriptor: Descriptor

    /// The bytes left in a regular file when the stream was opened; nil for a pipe, terminal or device.
    let byteCountAtOpen: Int?

    /// Bytes delivered since the last call of `restartCounting`.
    private(set) var position = 0

    /// The position at which `read` stops, counted like `position`.
    var end = Int.max

    /// The frame size in bytes: `read` delivers whole multiples of it, counted like `position`.
    var bytesPerFrame = 1

    /// The `errno` of the read that failed, if one did.
    private(set) var failure: CInt?

    /// True after the source has reported its end.
    private(set) var isAtEnd = false

    /// True from the start of a request until its first byte is delivered.
    private var mayWait = true

    /// The file offset of the descriptor when the stream was created.
    private let start: off_t

    /// The bytes that `take` and `skip` delivered, kept for `copyAll`; nil once they exceed `takenLimit`.
    private var taken: [UInt8]? = []

    private static let takenLimit = 1 << 20

    /// Bytes read from the descriptor and not delivered yet: the peeked ones.
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

    /// The next `count` bytes without consuming them; fewer only if the stream ends before.
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

    /// The next `count` bytes, or nil if the stream ends before.
    func take(_ count: Int) -> [UInt8]? {
        let bytes = peek(count)
        guard bytes.count == count else { return nil }
        lookahead.removeFirst(count)
        position += count
        if let kept = taken?.count, kept + count > Self.takenLimit { taken = nil }
        taken?.append(contentsOf: bytes)
        return bytes
    }

    /// Skips `count` bytes; false if the stream ends before. Memory: 4 KiB for any count.
    func skip(_ count: Int) -> Bool {
        var remaining = count
        while remaining > 0 {
            guard let taken = take(min(remaining, 4096)) else { return false }
            remaining -= taken.count
        }
        return true
    }

    /// Makes the current position zero.
    func restartCounting() {
        position = 0
    }

    /// Returns the descriptor to the beginning of its file; false if this stream did not start there.
    func rewindToFileStart() -> Bool {
        byteCountAtOpen != nil && start == 0 && lseek(descriptor.number, 0, SEEK_SET) == 0
    }

    /// Copies the whole stream to `target`, including the bytes already taken.
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

    /// Starts a new request: `read` may wait for its first byte, and takes further bytes only if they are available.
    func beginRequest() {
        mayWait = true
    }

    /// Fills `target` with the available bytes, in whole frames. Returns 0 at the end, after a failure, or if this
    /// request has already delivered bytes and would have to wait for more.
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
                // The remainder of a truncated frame is not a sample.
                count -= min(count, (position + count) % bytesPerFrame)
                break
            }
            mayWait = false
            count += received
        }
        position += count
        return count
    }

    /// True if a read would not wait. A regular file never waits.
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
