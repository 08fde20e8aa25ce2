import CSndFile
import Glibc

/// The calls through which libsndfile accesses our files.
///
/// `sf_open_fd` would be simpler, but (1.2.0) it closes the descriptor when the open fails, even if told not to.
/// Our own close then hits a file that another thread has opened under that number.
///
/// The context of each call is an object that the caller of `sf_open_virtual` keeps alive.
enum LibraryCallbacks {
    /// Reads a `ByteStream`. A seek succeeds only to the current position.
    static let forwardReading = SF_VIRTUAL_IO(
        get_filelen: { _ in 1 << 60 },
        seek: { offset, whence, context in
            let here = sf_count_t(stream(context).position)
            return whence == SEEK_SET && offset == here || whence == SEEK_CUR && offset == 0 ? here : -1
        },
        read: { target, count, context in
            let buffer = UnsafeMutableRawBufferPointer(start: target, count: max(0, Int(count)))
            return sf_count_t(stream(context).read(into: buffer))
        },
        write: { _, _, _ in 0 },
        tell: { context in sf_count_t(stream(context).position) }
    )

    /// Reads or writes a `RandomAccessFile`.
    static let randomAccess = SF_VIRTUAL_IO(
        get_filelen: { context in sf_count_t(file(context).byteCount) },
        seek: { offset, whence, context in sf_count_t(file(context).seek(to: Int(offset), from: whence)) },
        read: { target, count, context in
            let buffer = UnsafeMutableRawBufferPointer(start: target, count: max(0, Int(count)))
            return sf_count_t(file(context).read(into: buffer))
        },
        write: { source, count, context in
            sf_count_t(file(context).write(UnsafeRawBufferPointer(start: source, count: max(0, Int(count)))))
        },
        tell: { context in sf_count_t(file(context).position) }
    )

    private static func stream(_ context: UnsafeMutableRawPointer?) -> ByteStream {
        Unmanaged.fromOpaque(context!).takeUnretainedValue()
    }

    private static func file(_ context: UnsafeMutableRawPointer?) -> RandomAccessFile {
        Unmanaged.fromOpaque(context!).takeUnretainedValue()
    }
}
