import Foundation

/// A sound card, and ALSA's own programs that play and record on it. Its capture records its playback.
///
/// It is a virtual card for this test, unless the environment names a real one: EARSHOT_TEST_PLAYBACK and
/// EARSHOT_TEST_CAPTURE, two PCMs of which the second hears the first. There is one real card, so tests take turns.
///
/// All programs stop with their owner, and the server also stops with this process, however it ends. Only one thread
/// at a time may use it.
package final class SoundCard: @unchecked Sendable {
    package struct Trouble: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// Sound did not arrive, and no program says why.
    package struct Loss: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// Half a second, because on a machine with every core busy shorter buffers run dry.
    private static let buffer = "--buffer-time=500000"
    private static let script = Repository.path("Tests/Support/virtual-sound-card.sh")

    /// A short path, because it holds a Unix socket.
    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("earshot-card-\(UUID().uuidString.prefix(8))").path
    private let scratch: Scratch
    private var environment = ProcessInfo.processInfo.environment
    private var programs: [Program] = []
    private let options: [String]

    /// The PCMs that programs started here play to and record from.
    package let playbackPCM: String
    package let capturePCM: String

    private static let real: (playback: String, capture: String)? = {
        let environment = ProcessInfo.processInfo.environment
        guard let playback = environment["EARSHOT_TEST_PLAYBACK"], let capture = environment["EARSHOT_TEST_CAPTURE"]
        else { return nil }
        return (playback, capture)
    }()

    /// Whether each test makes its own card with its own options, and may take it away.
    package static var isVirtual: Bool { real == nil }
    private static let turn = DispatchSemaphore(value: 1)

    /// - Parameter options: options of the script, such as "--rate", "44100".
    package init(in scratch: Scratch, _ options: [String] = []) throws {
        self.scratch = scratch
        self.options = options
        defer { Self.madeByThisThread.append(self) }
        if let real = Self.real {
            (playbackPCM, capturePCM) = real
            Self.turn.wait()
            return
        }
        (playbackPCM, capturePCM) = ("air_out", "air_in")
        try startServer()
        for line in try control("env", []).split(separator: "\n") {
            let parts = line.dropFirst("export ".count).split(separator: "=", maxSplits: 1)
            if let name = parts.first, let value = parts.last { environment[String(name)] = String(value) }
        }
    }

    deinit {
        for program in programs { program.kill() }
        guard Self.isVirtual else {
            Self.turn.signal()
            return
        }
        _ = try? control("stop", [])
    }

    /// Starts the sound server, also after it has ended.
    package func startServer() throws {
        try control("start", ["--owner", "\(ProcessInfo.processInfo.processIdentifier)"] + options)
    }

    /// Ends the sound server at once, as a crash would.
    package func killServer() throws {
        let path = directory + "/pid"
        let text = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let id = pid_t(text) else { throw Trouble(description: "\(path) says \(text)") }
        Foundation.kill(id, SIGKILL)
        // The script removes the files that a dead server left.
        try control("stop", [])
    }

    /// Starts to play WAV files, one after another.
    package func play(_ names: [String]) throws -> Program {
        try start("aplay", ["-q", "-D", playbackPCM, Self.buffer] + names)
    }

    /// Starts to record 16-bit samples of one channel.
    package func record(_ name: String, rate: Int) throws -> Recording {
        let format = ["-f", "S16_LE", "-c", "1", "-r", "\(rate)"]
        let program = try start("arecord", ["-q", "-D", capturePCM, Self.buffer] + format + [name])
        return Recording(program: program, path: scratch.path(name), rate: rate)
    }

    /// Runs a program that does not use the card to its end.
    package func run(_ name: String, _ arguments: [String]) throws -> Program {
        let program = try start(name, arguments)
        guard program.waitForEnd(within: 60) else {
            throw Trouble(description: "Not over after a minute: \(program.account)")
        }
        return program
    }

    /// Starts a program that uses the card.
    package func start(_ name: String, _ arguments: [String]) throws -> Program {
        let program = try Program(name, arguments, environment: environment, in: scratch)
        programs.append(program)
        return program
    }

    @discardableResult
    private func control(_ action: String, _ options: [String]) throws -> String {
        let program = try Program(
            Self.script, [action, directory] + options, environment: environment, in: scratch)
        // The script waits up to 15 s for its server.
        try program.finish(within: 25)
        return program.output
    }
}

/// What `onSoundCard` asks of the cards that its body made.
extension SoundCard {
    private static let key = "earshot.sound-cards"

    private static var madeByThisThread: [SoundCard] {
        get { Thread.current.threadDictionary[key] as? [SoundCard] ?? [] }
        set { Thread.current.threadDictionary[key] = newValue }
    }

    /// The cards that this thread made since the last call.
    static func takeMadeByThisThread() -> [SoundCard] {
        defer { madeByThisThread = [] }
        return madeByThisThread
    }

    /// Whether one of the card's programs, of those that this project makes, says that sound was lost.
    var reportsLoss: Bool {
        programs.contains {
            $0.output.contains(/"underruns":[1-9]|dropouts +\d/) || $0.error.contains(/gap of|with holes/)
        }
    }
}

/// The card's PCM names for devices that this process opens itself.
extension SoundCard {
    /// The PCM that plays.
    package var playbackName: String { Self.real?.playback ?? Self.name("card_out:\(directory)") }

    /// The PCM that records the playback.
    package var captureName: String { Self.real?.capture ?? Self.name("card_in:\(directory)") }

    /// ALSA reads one configuration for the whole process, so the configuration must name
    /// every card and exist before the first one.
    package static func name(_ name: String) -> String {
        precondition(isConfigured)
        return name
    }

    private static let isConfigured: Bool = {
        // A real card's name may come from the user's own configuration.
        guard isVirtual else { return true }
        setenv("ALSA_CONFIG_PATH", Repository.path("Tests/Support/sound-cards.conf"), 1)
        // Otherwise a client leaves a cookie in the user's home directory.
        setenv("PULSE_COOKIE", Repository.path(".build/pulse-cookie"), 1)
        return true
    }()
}

/// A recording in progress.
package struct Recording {
    package let program: Program
    package let path: String
    package let rate: Int

    /// The seconds in the file so far; its header is 44 bytes.
    private var seconds: Double {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return Double(max((attributes?[.size] as? Int ?? 0) - 44, 0)) / Double(2 * rate)
    }

    /// Waits until the file has this many seconds more.
    package func grow(by more: Double) throws {
        let goal = seconds + more
        let deadline = Date() + more + 15
        while seconds < goal {
            guard program.isRunning, Date() < deadline else {
                throw SoundCard.Trouble(
                    description: "\(path) has \(seconds) s of sound instead of \(goal) s. \(program.account)")
            }
            usleep(20_000)
        }
    }

    package func stop() throws {
        program.interrupt()
        guard program.waitForEnd(within: 10) else {
            throw SoundCard.Trouble(description: "arecord does not end. \(program.account)")
        }
    }
}
