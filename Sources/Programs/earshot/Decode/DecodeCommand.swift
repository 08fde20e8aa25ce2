import ArgumentParser
import Dispatch
import EarshotAudio
import EarshotBasics
import EarshotConsole
import EarshotModem
import EarshotSystem
import Glibc

struct DecodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode",
        abstract: "Find every token in sound files, or in sound as it arrives.",
        usage: "earshot decode [<file> ...] [<options>]",
        discussion: """
            Searches for all profiles at once, so no setting has to match the sender. Two to eight channels are decoded \
            together, as one device's microphones: a token is found even if no channel alone would find it, and printed \
            once with its best channel. --separate decodes each by itself, and so do files with more channels. Reads WAV, \
            FLAC, Ogg, AIFF, AU, CAF, W64 and every other format of the system's libsndfile (MP3 from its version 1.1 on), \
            and headerless samples with --raw, at 44100 Hz or more. Tokens survive only a codec that keeps 18.5 to 20 \
            kHz; docs/codecs.md (in Debian's package /usr/share/doc/earshot/docs/codecs.md) has a table.

            A folder stands for the sound files in it and in its subfolders, in the order of their names, chosen by their \
            extensions (\(SoundFileSearch.extensionList)); hidden files and links to folders do not count. Without a \
            file, standard input is read if it is a pipe or a file.

            Prints the tokens of each file in the order of the arguments; within a file by their end, then by channel. \
            From a pipe, a token is printed as soon as it is certain. If a file is broken or ends too early, the other \
            files are decoded all the same, and the exit code is that of the error (65, 66, 71 or 74), even if tokens \
            were found. Ctrl-C prints the tokens found so far, and the exit code is 130.

            EXAMPLES:
              earshot decode token.wav
              earshot decode --json recordings
              earshot decode --payload token.wav | sort -u
              arecord -q -f S16_LE -r 48000 -t raw | earshot decode --raw s16le:48000
              earshot decode --profile far --stats hall.wav

            A line of JSON:
              {"token":"0123456789abcdef","bytes":8,"profile":"standard",
              "start_s":1.234,"end_s":2.343,"snr_db":12.3,"offset_hz":-3.1,
              "channel":0,"file":"x.wav","path_metric":3.21}
            The channel, from 0, is the one that heard the token best; the SNR is that channel's and counts noise in \
            1,500 Hz. The offset is Doppler and clock error in the middle of the band. The path \
            metric is from about 1.1 (a frame just decoded in noise; 0.9 if combined) to 4.6 (no noise). If the payload is text, "text" \
            follows. If --combine combined several repeats, "combined" gives their number; such a token's path metric can be lower.
            """)

    @Argument(
        help: ArgumentHelp(
            "Sound files, or folders of them; '-' is standard input, which is the default if it is a pipe.",
            valueName: "file"), completion: .file())
    var files: [FilePath] = []

    @Option(
        help: ArgumentHelp(
            "The inputs have no header; samples are encoding:rate[:channels], such as s16le:48000 or f32le:44100:2.",
            valueName: "format"),
        completion: RawFormat.completion, transform: RawFormat.argument)
    var raw: RawFormat?

    @Option(help: "Search for this profile only; may be given several times. (default: all)")
    var profile: [ProfileName] = []

    @OptionGroup var repeats: CombineOption

    @Flag(help: "Decode each channel by itself, instead of all together.")
    var separate = false

    @Flag(help: "Print a line of JSON for every token.")
    var json = false

    @Flag(help: "Print only the payloads, a line of hexadecimal digits for every token.")
    var payload = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Files decoded at the same time. (default: one for each core)", valueName: "count"))
    var jobs: Int?

    @Flag(
        name: [.long, .customLong("verbose"), .customShort("v")],
        help: "Print the receivers' counts on standard error: candidates, rejections, frames.")
    var stats = false

    @Flag(
        name: .shortAndLong, help: "On standard error print errors only: no progress, no note if no token was found.")
    var quiet = false

    mutating func validate() throws {
        if files.isEmpty, StandardInput.hasContent { files = ["-"] }
        if files.isEmpty {
            throw ValidationError("Nothing to decode: name sound files, or '-' for standard input.")
        }
        if files.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("Standard input ('-') can be read only once.")
        }
        if json, payload {
            throw ValidationError(
                "Both --json and --payload are given; a token is printed in one form, so leave one out.")
        }
        if let jobs, jobs < 1 {
            throw ValidationError("--jobs \(jobs): give 1 or more files at the same time.")
        }
    }

    func run() throws {
        let inputs = try files.flatMap { path throws(Failure) in try SoundFileSearch.files(at: path) }
        try FilePath("-").requireDistinct(from: inputs)
        ReceiverMemory.shareHeap()
        guard ReceiverMemory.canStartThreads else {
            throw Failure(
                .noMemory, "Cannot decode: there is no memory for a thread. Free some, or raise the limit (ulimit -v).")
        }
        let progress = ProgressBar(partCount: inputs.count, isEnabled: !quiet)
        let output = OrderedOutput(inputCount: inputs.count, progress: progress)
        let settings = InputDecoder.Settings(
            profiles: ProfileName.selected(profile), combinedCount: repeats.repeatCount, separatesChannels: separate,
            raw: raw,
            // With a folder, the line must name the file, even if it is the only one.
            form: json ? .json : payload ? .payload : .line(showsFile: inputs.count > 1 || inputs != files),
            showsStatistics: stats)
        let memory = ReceiverMemory()
        let decoders = inputs.enumerated().map { index, path in
            InputDecoder(
                index: index, path: path, settings: settings, output: output, progress: progress, memory: memory)
        }
        Interruption.handle {
            for decoder in decoders { decoder.interrupt() }
            progress.clear()
        }
        runAll(decoders)
        // The signal's thread prints what was found, and ends the process with its code.
        if Interruption.isRequested { Interruption.settle() }
        progress.clear()
        try conclude(decoders.map(\.outcome))
    }

    /// Decodes the inputs on several threads; each thread takes the next input that is free.
    private func runAll(_ decoders: [InputDecoder]) {
        let coreCount = max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN)))
        let threadCount = min(jobs ?? coreCount, decoders.count)
        guard threadCount > 1 else {
            for decoder in decoders { decoder.run() }
            return
        }
        let next = WorkCounter(end: decoders.count)
        DispatchQueue.concurrentPerform(iterations: threadCount) { _ in
            while let index = next.take() { decoders[index].run() }
        }
    }

    private func conclude(_ outcomes: [InputDecoder.Outcome]) throws {
        // An incomplete result must not look complete, so failures take precedence; the first one decides.
        if let failure = outcomes.lazy.compactMap(\.failure).first {
            throw ExitCode(failure.rawValue)
        }
        guard outcomes.allSatisfy({ $0.tokenCount == 0 }) else { return }
        if !quiet {
            let seconds = outcomes.reduce(0) { $0 + $1.searchedSeconds }
            let what = outcomes.count == 1 ? files[0].escapedForTerminal : "\(outcomes.count) files"
            StandardStream.error.print(
                "no token found in \(what), \(DecimalText.text(seconds, decimals: 1)) s of sound searched")
        }
        throw ExitCode(ExitStatus.noTokenFound.rawValue)
    }
}
