import EarshotBasics
import EarshotSystem
import Glibc
import TestSupport
import Testing

@testable import EarshotAudio

/// No content crashes the reader, or makes it deliver more samples than the file holds.
@Suite struct DamagedFileTests {
    /// The number of frames that the reader delivers, or nil if it rejects the file.
    private func frames(_ path: String) throws -> Int? {
        do {
            var reader = try SoundFileReader(path: path)
            var block: [Float] = []
            var total = 0
            while case let frames = try reader.read(into: &block, maxFrames: 512), frames > 0 {
                total += frames
                // A compressed file may claim a lot, but cannot deliver more than this from so few bytes.
                try #require(total < 10_000_000)
            }
            return total
        } catch is AudioError {
            return nil
        }
    }

    @Test(arguments: SampleFormat.allCases)
    func cutAnywhere(format: SampleFormat) throws {
        let scratch = Scratch()
        let wav = try wavBytes(noise(300, seed: 2), format: format)
        let headerByteCount = wav.count - 300 * format.bytesPerSample
        for length in Array(0..<140) + [wav.count - 5, wav.count - 1, wav.count] {
            let path = scratch.file("x.wav", containing: Array(wav[..<length]))
            let expected = length < headerByteCount ? nil : (length - headerByteCount) / format.bytesPerSample
            #expect(try frames(path) == expected, "\(format) cut to \(length) bytes")
        }
    }

    @Test func tenThousandCorruptedHeaders() throws {
        let scratch = Scratch()
        let wav = try wavBytes(noise(200, seed: 8), channels: 2)
        var generator = SeededGenerator(seed: 0xBAD)
        var refused = 0
        for trial in 0..<10_000 {
            var bytes = wav
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: 0..<48, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            // A frame takes at least one byte.
            let frames = try frames(scratch.file("x.wav", containing: bytes))
            if let frames {
                #expect(frames <= bytes.count, "trial \(trial)")
            } else {
                refused += 1
            }
        }
        // Corrupt lengths and average rates do no harm, most other fields do: both outcomes must be common.
        #expect((1000...9900).contains(refused), "\(refused) refused")
    }

    @Test(arguments: Container.allCases)
    func corruptedFilesOfOtherKinds(container: Container) throws {
        let scratch = Scratch()
        try writeSoundFile(
            noise(400, seed: 8).map(SampleConversion.int16), to: scratch.file("x"), container: container)
        let intact = load(scratch.file("x"))
        var generator = SeededGenerator(seed: UInt64(container.rawValue))
        var refused = 0
        for _ in 0..<1000 {
            var bytes = intact
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let index = Int.random(in: 4..<min(bytes.count, 200), using: &generator)
                bytes[index] = UInt8.random(in: 0...255, using: &generator)
            }
            if try frames(scratch.file("x", containing: bytes)) == nil { refused += 1 }
        }
        #expect(refused > 0)
    }

    /// libsndfile's `sf_open_fd` closes the descriptor when it fails; ours must stay open until we close it.
    @Test func refusalLeavesTheDescriptorToItsOwner() throws {
        let scratch = Scratch()
        let path = scratch.file("x.aiff", containing: Array("FORM0000AIFFCOMM0000".utf8))
        let descriptor = try #require(Descriptor(opening: FilePath(path), flags: O_RDONLY))
        let error = failure { () throws(AudioError) in
            _ = try SoundFileHandle(reading: RandomAccessFile(descriptor), path: path)
        }
        #expect(error?.kind == .damaged)
        #expect(fcntl(descriptor.number, F_GETFD) >= 0)
    }

    /// The header states 64 channels and 2³² bytes; the file holds 100 bytes.
    @Test func headerLengthsAreNotAllocated() throws {
        let scratch = Scratch()
        var wav = try wavBytes([Float](repeating: 0.5, count: 64), channels: 64)
        wav.replaceSubrange(40..<44, with: [0xF0, 0xFF, 0xFF, 0xFF])
        let path = scratch.file("x.wav", containing: wav)
        var reader = try SoundFileReader(path: path)
        #expect(reader.frameCount == 1)
        #expect(try readAll(&reader).count == 64)
    }
}
