import EarshotSystem
import Glibc

/// Pipes for libsndfile, which seeks.
extension SoundFileReader {
    /// The whole content as a file that can seek: the file itself, or a copy of the pipe's bytes.
    static func seekable(_ stream: ByteStream, path: String) throws(AudioError) -> RandomAccessFile {
        if stream.rewindToFileStart() { return RandomAccessFile(stream.descriptor) }
        guard let spool = TemporaryFile.spool() else {
            throw .system(errno, operation: "spool", path: path, fallback: .cannotWrite)
        }
        try stream.copyAll(to: spool.descriptor, path: path)
        guard lseek(spool.descriptor.number, 0, SEEK_SET) == 0 else {
            throw .system(errno, operation: "spool", path: path, fallback: .cannotRead)
        }
        return RandomAccessFile(spool.descriptor)
    }

    /// The bytes of a pipe that show whether libsndfile knows its kind.
    private static let probeByteCount = 4096

    /// Refuses a pipe of a kind that libsndfile does not know, before all of it is copied: it may never end, such as raw
    /// samples whose format was forgotten.
    ///
    /// - Throws: `AudioError` of the kind `notAudio`, or of the temporary file.
    static func probe(_ stream: ByteStream, path: String) throws(AudioError) {
        guard stream.byteCountAtOpen == nil else { return }
        let beginning = stream.peek(probeByteCount)
        guard let spool = TemporaryFile.spool() else {
            throw .system(errno, operation: "spool", path: path, fallback: .cannotWrite)
        }
        let content = RandomAccessFile(spool.descriptor)
        guard beginning.withUnsafeBytes({ content.write($0) }) == beginning.count,
            content.seek(to: 0, from: SEEK_SET) == 0
        else {
            throw .system(content.failure ?? EIO, operation: "spool", path: path, fallback: .cannotWrite)
        }
        do throws(AudioError) {
            _ = try SoundFileHandle(reading: content, path: path)
        } catch {
            // Other errors come from the end after 4 KiB.
            if error.kind == .notAudio { throw error }
        }
    }
}
