import ArgumentParser
import EarshotAudio
import EarshotConsole
import EarshotDiscovery
import EarshotMessages
import EarshotSoundConsole
import EarshotSystem
import Foundation

struct PublishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publish a message to the devices within earshot.",
        discussion: """
            The program gives the message to the service, earshotd, which returns a token for it, and sends the token \
            as sound repeatedly. A device that hears the token and subscribes with a key of the same project \
            receives the message. The message lasts as long as this command runs. When Ctrl-C or --seconds ends the \
            command, the other devices lose the message at once.

            With --direct the sound itself carries the message: 1 to 32 bytes, without a service or a network. The other \
            devices lose it when they have not heard it for a while, 14 s or more.

            If the service is unreachable or the microphone is busy, a line says so, and the program retries until \
            it works.

            EXAMPLES:
              export EARSHOT_KEY=$(cat key.txt)
              earshot publish "hello"
              earshot publish --type menu --file menu.pdf
              echo hello | earshot publish --file -
              earshot publish --direct "table 12 is free"

            Lines of JSON with --json: "status" (inactive, starting, active), "problem" and "solved":
              {"event":"status","status":"active","at_s":0.214}

            \(MessageOptions.environmentHelp)

            Exit codes: 0 the service accepted the message, or --direct needed none; 1 it did not at any time. Whether \
            sound and Bluetooth worked is in the lines "problem" and "solved".
            """)

    @Argument(help: ArgumentHelp("The message as text.", valueName: "text"))
    var text: String?

    @Option(
        help: ArgumentHelp(
            "Publish the content of this file; - is standard input. At most 102,400 bytes.", valueName: "file"),
        completion: .file())
    var file: FilePath?

    @Option(help: "The type that subscriptions select by; at most 32 characters.")
    var type = ""

    @Option(help: "The namespace within the project, separate from all others; at most 64 characters.")
    var namespace = ""

    @OptionGroup var options: MessageOptions

    func validate() throws {
        if options.direct, !type.isEmpty || !namespace.isEmpty {
            throw ValidationError(
                "--direct with --type or --namespace: the sound itself has room for the message only. Leave them out.")
        }
        try ProgramArguments.requireUTF8([("--type", type), ("--namespace", namespace)])
        if options.direct, options.mode == .scan {
            throw ValidationError("--direct with --mode scan: this mode sends nothing, so it cannot publish.")
        }
    }

    func run() throws {
        // Not in validate(), which runs before an unknown option is reported.
        if text == nil, file == nil {
            throw Failure(.usage, "Nothing to publish: give a text or --file. See 'earshot publish --help'.")
        }
        if text != nil, file != nil { throw Failure(.usage, "A text and --file are given; leave one out.") }
        let content = try content()
        if content.isEmpty, options.direct {
            throw Failure(.usage, "The message is empty. Give a text of 1 to 32 bytes.")
        }
        if content.isEmpty, type.isEmpty {
            throw Failure(
                .usage, "The message is empty and has no --type, so it says nothing. Give a text, or a --type.")
        }
        let run = MessageRun()
        let output = MessageOutput(
            isJSON: options.json, isQuiet: options.quiet, serviceAddress: try options.serviceAddress())
        let manager = try options.manager(output)
        let publication: Publication
        do throws(MessageError) {
            let strategy = options.strategy(otherwise: .both)
            publication =
                options.direct
                ? try manager.publishDirectly(content, strategy: strategy)
                : try manager.publish(
                    Message(content: content, type: type, namespace: namespace), strategy: strategy)
        } catch {
            throw Failure(.usage, "Cannot publish: \(error).")
        }
        run.run(manager, seconds: options.end.seconds, output, statuses: publication.statuses) {
            // Only a signal or --seconds ends it.
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(86_400)) }
            withExtendedLifetime(publication) {}
        }
        output.conclude("over after")
        if !output.wasActive { throw ExitCode(ExitStatus.noTokenFound.rawValue) }
    }

    private func content() throws(Failure) -> Data {
        // A message is bytes, which need not be UTF-8.
        if let text { return Data(ProgramArguments.bytes(of: text)) }
        guard let file else { return Data() }
        try FilePath("-").requireDistinct(from: [file])
        return Data(try InputFile.read(file, maximumByteCount: Message.maximumContentCount, "a message"))
    }
}
