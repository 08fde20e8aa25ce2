import Glibc
import Synchronization
import Testing

@testable import EarshotAudio

/// The reader delivers samples from a pipe as they arrive.
@Suite struct PipeTests {
    /// Runs `body` on a thread of its own.
    private func thread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
        final class Box {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Box(body)).toOpaque()
        pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }, box)
        return thread
    }

    private func send(_ bytes: ArraySlice<UInt8>, to descriptor: CInt) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    @Test(arguments: SampleFormat.allCases)
    func framesArriveBeforeTheWriterHasFinished(format: SampleFormat) throws {
        let sent = noise(3000, seed: 6, peak: 0.9)
        var wav = try wavBytes(sent, format: format)
        let data = wav.count - sent.count * format.bytesPerSample
        // The header of a recorder that does not know when it will be stopped.
        wav.replaceSubrange(data - 4..<data, with: [0, 0xF0, 0xFF, 0x7F])
        let ends = makePipe()
        defer { close(ends.reading) }

        // 1000 frames and one byte; the writer sends no more until they have been read.
        let cut = data + 1000 * format.bytesPerSample + 1
        send(wav[..<cut], to: ends.writing)
        var reader = try SoundFileReader(descriptor: ends.reading, name: "pipe")
        #expect(reader.frameCount == nil)
        var block: [Float] = []
        // The extra byte makes the reader wait for the rest of its frame, but not for 4096 frames.
        let late = thread { [wav] in
            usleep(20_000)
            self.send(wav[cut..<cut + format.bytesPerSample - 1], to: ends.writing)
        }
        var received: [Float] = []
        while received.count < 1001 {
            let frames = try reader.read(into: &block, maxFrames: 4096)
            try #require(frames > 0)
            received += block[..<frames]
        }
        pthread_join(late, nil)
        #expect(received.count == 1001)

        let rest = thread { [wav] in
            for start in stride(from: cut + format.bytesPerSample - 1, to: wav.count, by: 777) {
                self.send(wav[start..<min(start + 777, wav.count)], to: ends.writing)
                usleep(1000)
            }
            close(ends.writing)
        }
        received += try readAll(&reader, maxFrames: 4096)
        pthread_join(rest, nil)
        let scratch = Scratch()
        #expect(try received == readAll(scratch.file("x.wav", containing: wav)))
        #expect(received.count == sent.count)
    }

    @Test func rawSamplesArriveAsTheyCome() throws {
        let ends = makePipe()
        var reader = try SoundFileReader(
            descriptor: ends.reading, name: "pipe", raw: RawFormat(.s24le, sampleRateHertz: 96_000, channelCount: 2))
        close(ends.reading)
        send([0, 0, 0x40, 0, 0, 0xC0], to: ends.writing)
        var block: [Float] = []
        let frames = try reader.read(into: &block, maxFrames: 100)
        #expect(frames == 1)
        #expect(block[..<2] == [0.5, -0.5])
        close(ends.writing)
        let more = try reader.read(into: &block, maxFrames: 100)
        #expect(more == 0)
        #expect(reader.sampleRateHertz == 96_000 && reader.channelCount == 2)
    }

    /// The reader reads formats that need seeking to their end first, but not RF64 and WAV.
    @Test(arguments: Container.allCases)
    func everyContainerComesThroughAPipe(container: Container) throws {
        let scratch = Scratch()
        let sent = noise(100_000, seed: 9).map(SampleConversion.int16)
        try writeSoundFile(sent, to: scratch.file("x"), container: container, channels: 2)
        let bytes = load(scratch.file("x"))
        let ends = makePipe()
        defer { close(ends.reading) }
        let writer = thread {
            self.send(bytes[...], to: ends.writing)
            close(ends.writing)
        }
        var reader = try SoundFileReader(descriptor: ends.reading, name: "pipe")
        let received = try readAll(&reader)
        pthread_join(writer, nil)
        #expect(received == sent.map { Float($0) / 32768 })
    }

    @Test func namedPipeIsReadByItsName() throws {
        let scratch = Scratch()
        let path = scratch.file("fifo")
        #expect(mkfifo(path, 0o600) == 0)
        let wav = try wavBytes([0.5, 0.25])
        let writer = thread {
            let descriptor = open(path, O_WRONLY)
            self.send(wav[...], to: descriptor)
            close(descriptor)
        }
        #expect(try readAll(path) == [0.5, 0.25])
        pthread_join(writer, nil)
    }

    /// Raw samples of an unknown format: the refusal comes although the pipe stays open.
    @Test func unknownKindIsRefusedWhileThePipeIsOpen() throws {
        let ends = makePipe()
        send((0..<8_192).map { UInt8(truncatingIfNeeded: 3 + $0 * 7) }[...], to: ends.writing)
        let error = failure { () throws(AudioError) in
            _ = try SoundFileReader(descriptor: ends.reading, name: "standard input")
        }
        #expect(error?.kind == .notAudio)
        #expect(error?.detail.contains("the bytes 03 0a 11 18") == true, "\(error?.description ?? "opened")")
        close(ends.writing)
        close(ends.reading)
    }

    @Test func emptyPipeAndCutHeaderAreErrors() throws {
        let wav = try wavBytes([0.5])
        for (length, kind) in [(0, AudioError.Kind.empty), (20, .damaged), (43, .damaged)] {
            let ends = makePipe()
            send(wav[..<length], to: ends.writing)
            close(ends.writing)
            let error = failure { () throws(AudioError) in
                _ = try SoundFileReader(descriptor: ends.reading, name: "standard input")
            }
            #expect(error?.kind == kind)
            #expect(error?.path == "standard input")
            close(ends.reading)
        }
    }

    @Test func writerSendsACompleteHeaderDownAPipe() throws {
        let ends = makePipe()
        let samples = noise(100_000, seed: 12)
        let received = Collector()
        let reader = thread { received.bytes.withLock { $0 = drain(ends.reading) } }
        var writer = try WAVWriter(
            descriptor: ends.writing, name: "standard output", sampleRateHertz: 48_000, channelCount: 1, format: .s16)
        try writer.write(samples)
        try writer.finish()
        close(ends.writing)
        pthread_join(reader, nil)
        close(ends.reading)
        let bytes = received.bytes.withLock { $0 }
        #expect(try bytes == wavBytes(samples))
    }

    /// A closed reading end gives an error, not a signal that ends the process.
    @Test func brokenPipeIsAnError() throws {
        let ends = makePipe()
        close(ends.reading)
        var writer = try WAVWriter(
            descriptor: ends.writing, name: "standard output", sampleRateHertz: 48_000, channelCount: 1, format: .s16)
        try writer.write([0.5])
        var error: AudioError?
        do { try writer.finish() } catch let caught { error = caught }
        #expect(error?.kind == .brokenPipe)
        #expect(error?.path == "standard output")
        close(ends.writing)
    }
}

/// The bytes that a thread has collected.
private final class Collector: Sendable {
    let bytes = Mutex<[UInt8]>([])
}
