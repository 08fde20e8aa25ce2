import EarshotSystem
import Glibc

/// A file that can be sought, read and written, by libsndfile too. It keeps the `errno` of a failed call.
final class RandomAccessFile {
    let descriptor: Descriptor

    /// The `errno` of the last call that failed, if one did.
    private(set) var failure: CInt?

    /// The same of a call that reads. libsndfile takes such a failure for the end of the file.
    private(set) var readFailure: CInt?

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    var byteCount: Int {
        guard let status = descriptor.status else {
            readFailure = errno
            return 0
        }
        return status.st_size
    }

    var position: Int { seek(to: 0, from: SEEK_CUR) }

    /// Seeks and returns the new position, or -1.
    func seek(to offset: Int, from origin: CInt) -> Int {
        let position = lseek(descriptor.number, offset, origin)
        if position < 0 { failure = errno }
        return position
    }

    /// Removes all bytes after the first `byteCount`.
    func truncate(to byteCount: Int) {
        if ftruncate(descriptor.number, byteCount) != 0 { failure = errno }
    }

    /// Fills `target` up to the end of the file and returns the number of bytes read.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        while count < target.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: target[count...])
            let received = Glibc.read(descriptor.number, rest.baseAddress, rest.count)
            if received > 0 {
                count += received
            } else if received == 0 || errno != EINTR {
                if received < 0 {
                    failure = errno
                    readFailure = failure
                }
                break
            }
        }
        return count
    }

    /// Writes all of `bytes` unless a call fails, and returns the number of bytes written.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        while count < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
            let written = Glibc.write(descriptor.number, rest.baseAddress, rest.count)
            if written > 0 {
                count += written
            } else if written == 0 || errno != EINTR {
                failure = written < 0 ? errno : ENOSPC
                break
            }
        }
        return count
    }
}
