import EarshotAudio
import EarshotConsole
import EarshotModem
import EarshotSoundConsole
import EarshotSystem
import Synchronization

/// Decodes one file or standard input, from opening it to its last token.
///
/// The decoding thread holds the lock while receivers work, but not while it waits for samples. So another thread can
/// end the decoding at any time and keep the tokens found until then.
final class InputDecoder: Sendable {
    struct Settings: Sendable {
        let profiles: [Profile]
        let combinedCount: Int
        let separatesChannels: Bool
        let raw: RawFormat?
        let form: FoundToken.Form
        let showsStatistics: Bool
    }

    /// The result of one input.
    struct Outcome: Sendable {
        var tokenCount = 0
        var searchedSeconds = 0.0
        var failure: ExitStatus?
    }

    private struct State {
        var receivers: ReceiverBank?
        var sampleRateHertz = 0
        /// Tokens found and not printed yet.
        var found: [FoundToken] = []
        var outcome = Outcome()
        var isOver = false
    }

    private let index: Int
    private let path: FilePath
    private let settings: Settings
    private let output: OrderedOutput
    private let progress: ProgressBar
    private let memory: ReceiverMemory
    private let state = Mutex(State())

    init(
        index: Int, path: FilePath, settings: Settings, output: OrderedOutput, progress: ProgressBar,
        memory: ReceiverMemory
    ) {
        self.index = index
        self.path = path
        self.settings = settings
        self.output = output
        self.progress = progress
        self.memory = memory
    }

    var outcome: Outcome { state.withLock { $0.outcome } }

    /// Decodes the input to its end. Prints errors and keeps them in `outcome`.
    func run() {
        do {
            try decode()
            finish(failure: nil)
        } catch let error as AudioError {
            finish(failure: Failure(reading: error))
        } catch {
            finish(failure: error as? Failure ?? Failure(.inputOutput, "Cannot decode \(inputName): \(error)."))
        }
        progress.update(part: index, fraction: 1)
    }

    /// Ends the decoding from another thread: flushes the receivers and prints their tokens.
    func interrupt() {
        finish(failure: nil)
    }

    private func decode() throws {
        var reader =
            path == "-"
            ? try SoundFileReader.standardInput(raw: settings.raw)
            : try SoundFileReader(path: path, raw: settings.raw)
        try prepare(sampleRateHertz: reader.sampleRateHertz, channelCount: reader.channelCount)

        let channelCount = reader.channelCount
        let blockFrames = ReceiverBank.blockFrameCount(channelCount: channelCount)
        // An input without a known length may be live, so each token is printed at once.
        let isLive = reader.frameCount == nil
        var samples: [Float] = []
        var integers: [Int16] = []
        var frameCount = 0
        while true {
            let count: Int
            let goesOn: Bool
            if reader.holdsIntegers {
                count = try reader.read(integers: &integers, maxFrames: blockFrames)
                let block = integers.span.extracting(0..<count * channelCount)
                goesOn = take(isLive: isLive) { $0.push(block, onFrame: $1) }
            } else {
                count = try reader.read(into: &samples, maxFrames: blockFrames)
                let block = samples.span.extracting(0..<count * channelCount)
                goesOn = take(isLive: isLive) { $0.push(block, onFrame: $1) }
            }
            guard goesOn else { return }
            guard count > 0 else { break }
            frameCount += count
            if let all = reader.frameCount, all > 0 {
                progress.update(part: index, fraction: Double(frameCount) / Double(all))
            }
        }
        if reader.isTruncated {
            throw AudioError(
                .damaged, operation: "read all of", path: inputName,
                detail: "it ends before its header says; the samples up to there were decoded",
                advice: "Copy or record it again to get the rest")
        }
    }

    private var inputName: String { path == "-" ? "standard input" : path.escapedForTerminal }

    private func prepare(sampleRateHertz: Int, channelCount: Int) throws(Failure) {
        let settings = settings
        let byteCount = ReceiverMemory.byteCount(channelCount: channelCount, combinedCount: settings.combinedCount)
        // Outside of the lock, so that another thread can end the decoding while this one waits for memory.
        guard memory.reserve(byteCount) else {
            throw Failure(
                .noMemory,
                "Cannot decode \(inputName): \(channelCount == 1 ? "1 channel needs" : "\(channelCount) channels need") "
                    + "\(byteCount / 1_000_000) MB of memory, and the system does not have so much. Free some, or raise "
                    + "the limit (ulimit -v).")
        }
        let refusal: ModemError? = state.withLock { state in
            defer { memory.settle(byteCount) }
            // Receivers that are created after the end would never be released.
            guard !state.isOver else {
                memory.release()
                return nil
            }
            do throws(ModemError) {
                state.receivers = try ReceiverBank(
                    channelCount: channelCount, separate: settings.separatesChannels,
                    sampleRateHertz: sampleRateHertz, profiles: settings.profiles, combining: settings.combinedCount)
                state.sampleRateHertz = sampleRateHertz
                return nil
            } catch {
                memory.release()
                return error
            }
        }
        if let refusal {
            throw Failure(
                .data, "Cannot decode \(inputName): \(refusal). Record it again; resampling restores nothing.")
        }
    }

    /// Lets `push` give a block to the receivers.
    /// - Returns: false if another thread ended the input in the meantime.
    private func take(
        isLive: Bool, _ push: (ReceiverBank, (_ channel: Int, ReceivedFrame) -> Void) -> Void
    ) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            let (rate, path) = (state.sampleRateHertz, path.description)
            var found = exchange(&state.found, with: [])
            if let receivers = state.receivers {
                push(receivers) { channel, frame in
                    found.append(FoundToken(frame: frame, sampleRateHertz: rate, channel: channel, file: path))
                }
            }
            state.found = found
            if isLive { printFound(&state) }
            return true
        }
    }

    private func finish(failure: Failure?) {
        state.withLock { state in
            guard !state.isOver else { return }
            state.isOver = true
            let (rate, path) = (state.sampleRateHertz, path.description)
            var found = exchange(&state.found, with: [])
            state.receivers?.flush { channel, frame in
                found.append(FoundToken(frame: frame, sampleRateHertz: rate, channel: channel, file: path))
            }
            state.found = found
            printFound(&state)
            if let receivers = state.receivers {
                let statistics = receivers.statistics
                state.outcome.searchedSeconds = Double(statistics.samples) / Double(rate)
                if settings.showsStatistics {
                    let text = StatisticsText.line(statistics, file: inputName, sampleRateHertz: rate)
                    output.print([OrderedOutput.Line(stream: .error, text: text)], of: index)
                }
                // Frees megabytes for each channel, which the next input needs.
                state.receivers = nil
                memory.release()
            }
            if let failure {
                state.outcome.failure = failure.status
                output.print([OrderedOutput.Line(stream: .error, text: "Error: \(failure)")], of: index)
            }
            output.finish(index)
        }
    }

    private func printFound(_ state: inout State) {
        guard !state.found.isEmpty else { return }
        let tokens = state.found.sorted(by: FoundToken.isOrdered)
        state.found.removeAll(keepingCapacity: true)
        state.outcome.tokenCount += tokens.count
        let lines = tokens.map { token in
            OrderedOutput.Line(text: token.text(settings.form))
        }
        output.print(lines, of: index)
    }
}
