import Glibc

@testable import EarshotAudio

/// The first byte chooses a file or a pipe for the other bytes. The reader delivers their sound or gives the reason why
/// not, and delivers no more than it has read.
func fuzzSoundFile(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let content = bytes.dropFirst()
    let (descriptor, length) = first & 1 == 0 ? file(content) : pipe(content)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let raw: RawFormat? = first & 2 == 0 ? nil : RawFormat(.s16le, sampleRateHertz: 48_000, channelCount: 1)
    do throws(AudioError) {
        var reader = try SoundFileReader(descriptor: descriptor, name: "input", raw: raw)
        require(StreamLimits.sampleRateHertz.contains(reader.sampleRateHertz), "\(reader.sampleRateHertz) Hz")
        require(StreamLimits.channelCount.contains(reader.channelCount), "\(reader.channelCount) channels")
        let blockCount = 1 + Int(first >> 2) * 61
        var (block, total) = ([Float](), 0)
        // A small compressed file can hold many samples.
        while total < 1 << 20 {
            let frames =
                reader.holdsIntegers && first & 128 != 0
                ? try readIntegers(&reader, blockCount) : try reader.read(into: &block, maxFrames: blockCount)
            require((0...blockCount).contains(frames), "\(frames) of \(blockCount) frames")
            if frames == 0 { break }
            total += frames
        }
        if reader.formatName.hasPrefix("WAV, ") || reader.formatName.hasPrefix("RF64, ") {
            // Uncompressed samples have at least a byte each. Formats that libsndfile reads have other names.
            require(
                total * reader.channelCount <= 8 * length || total >= 1 << 20,
                "\(total) frames of \(reader.channelCount) channels from \(length) bytes as \(reader.formatName)")
        }
    } catch {
        require(!error.description.isEmpty && error.path == "input", "an error without a sentence")
    }
}

private func readIntegers(_ reader: inout SoundFileReader, _ count: Int) throws(AudioError) -> Int {
    var integers: [Int16] = []
    return try reader.read(integers: &integers, maxFrames: count)
}

/// An unnamed file with these bytes.
private func file(_ bytes: some Collection<UInt8>) -> (descriptor: CInt, length: Int) {
    // O_TMPFILE is a C expression that Swift does not import.
    let descriptor = open("/dev/shm", 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
    let bytes = Array(bytes)
    require(write(descriptor, bytes, bytes.count) == bytes.count, "no memory for a file")
    lseek(descriptor, 0, SEEK_SET)
    return (descriptor, bytes.count)
}

/// A pipe with as many of these bytes as fit, and then its end.
private func pipe(_ bytes: some Collection<UInt8>) -> (descriptor: CInt, length: Int) {
    var ends: [CInt] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { return (-1, 0) }
    let bytes = Array(bytes.prefix(65_536))
    require(write(ends[1], bytes, bytes.count) == bytes.count, "no room in a pipe")
    close(ends[1])
    return (ends[0], bytes.count)
}
