import ArgumentParser
import EarshotAudio
import EarshotBasics
import EarshotConsole
import EarshotLoopback
import EarshotSoundConsole
import EarshotSystem

struct FieldPlayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play",
        abstract: "Play the schedule, or write it to a file for a phone.",
        usage: "earshot field play [--output <wav>] [<options>]",
        discussion: """
            Start the recording on the other device first. Use this device's usual volume, and state it in \
            the issue. Play no other sound.

            EXAMPLES:
              earshot field play
              earshot field play --device hw:1 --level 0
              earshot field play -o schedule.wav

            Exit codes: 0 the whole schedule was played or written; 69 the device does not exist or cannot be used; 73 the file \
            cannot be created; 130 or 143 a signal ended the command.
            """)

    @OptionGroup var schedule: FieldScheduleOptions

    @Option(
        name: .shortAndLong, help: ArgumentHelp("Write this WAV file instead of playing.", valueName: "wav"),
        completion: .file(extensions: ["wav"]))
    var output: FilePath?

    @Option(
        help: ArgumentHelp("The playback PCM; 'earshot devices' lists them. (default: default)", valueName: "pcm"),
        completion: DeviceCompletion.playback)
    var device: String?

    @Flag(help: "Replace an existing file.")
    var overwrite = false

    @Flag(name: .shortAndLong, help: "On standard error print errors only: no progress, no notes.")
    var quiet = false

    func validate() throws {
        if output != nil, device != nil {
            throw ValidationError("Both --output and --device are given; leave one out.")
        }
        if overwrite, output == nil {
            throw ValidationError("--overwrite without --output: nothing is written.")
        }
        if let output {
            if output == "-" { throw ValidationError("--output -: name a file.") }
            if !output.description.lowercased().hasSuffix(".wav") {
                throw ValidationError("--output \(output.escapedForTerminal): name a .wav file.")
            }
        }
    }

    func run() throws {
        let program = try schedule.program()
        let progress = ProgressBar(partCount: 1, isEnabled: !quiet)
        let run = LoopbackRun(program) { progress.update(fraction: $0) }
        Interruption.handle {
            run.cancel()
            Interruption.awaitSettled()
        }
        if let output {
            try write(run, to: output)
        } else {
            try play(run)
        }
        progress.clear()
        if Interruption.isRequested { Interruption.settle() }
        if !quiet {
            let what = output.map { "wrote \($0.escapedForTerminal)" } ?? "played"
            StandardStream.error.print(
                "\(what): \(program.sendings.count) tokens in \(DecimalText.text(program.seconds, decimals: 0)) s, from "
                    + "\(DecimalText.short(schedule.loudness.level)) dBFS down")
        }
    }

    private func write(_ run: LoopbackRun, to path: FilePath) throws(Failure) {
        do throws(AudioError) {
            try WAVMedium.write(run, to: path, replacesExisting: overwrite)
        } catch {
            throw Failure(writing: error)
        }
    }

    private func play(_ run: LoopbackRun) throws {
        let request = try DeviceRequest.argument(
            device: device ?? "default", rate: FieldScheduleOptions.sampleRateHertz, channels: nil,
            bufferSeconds: ALSAMedium.bufferSeconds)
        do {
            try ALSAMedium.play(run, on: request)
        } catch let error as DeviceError {
            throw Failure(error)
        }
    }
}
