import ArgumentParser
import EarshotConsole
import EarshotDiscovery
import EarshotDrawing
import EarshotMessages
import Foundation

struct PublishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publish a message to whoever is within earshot.",
        discussion: """
            The message goes to the service, earshotd, which gives a token for it; the token is said in sound again and again. \
            Whoever hears it and subscribes with a key of the same project gets the message. It lives as long as this \
            command: Ctrl-C, --seconds, and the others lose it at once.

            With --direct the message itself is in the sound: 1 to 32 bytes, without any service or network.

            A service that is away, a microphone that is taken: problems are printed, and tried again until they are gone.

            EXAMPLES:
              export EARSHOT_KEY=$(cat key.txt)
              earshot publish "hello"
              earshot publish --type menu --file menu.pdf
              echo hello | earshot publish --file -
              earshot publish --direct "table 12 is free"

            Lines of JSON with --json: "status" (inactive, starting, active), "problem" and "solved":
              {"event":"status","status":"active","at_s":0.214}

            Exit codes: 0 others could find it; 1 they never could.
            """)

    @Argument(help: ArgumentHelp("The message as text.", valueName: "text"))
    var text: String?

    @Option(
        help: ArgumentHelp(
            "The message is this file's content; - is standard input. At most 102,400 bytes.", valueName: "file"),
        completion: .file())
    var file: String?

    @Option(help: "What subscriptions choose by; at most 32 characters.")
    var type = ""

    @Option(help: "A world of its own within the project; at most 64 characters.")
    var namespace = ""

    @OptionGroup var options: MessageOptions

    func validate() throws {
        if (text == nil) == (file == nil) {
            throw ValidationError("What to publish: a text, or --file.")
        }
        if options.direct, !type.isEmpty || !namespace.isEmpty {
            throw ValidationError(
                "--direct with --type or --namespace: the sound itself has room for the message only.")
        }
        if options.direct, options.mode == .scan {
            throw ValidationError("--direct with --mode scan: who says nothing publishes nothing in the sound itself.")
        }
    }

    func run() throws {
        let content = try content()
        let run = MessageRun()
        let output = MessageOutput(isJSON: options.json, isQuiet: options.quiet)
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
        run.run(manager, seconds: options.seconds, output, statuses: publication.statuses) {
            // Nothing but a signal or the time ends it.
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(86_400)) }
            withExtendedLifetime(publication) {}
        }
        output.conclude("over after")
        if !output.wasActive { throw ExitCode(ExitStatus.noTokenFound.rawValue) }
    }

    private func content() throws(Failure) -> Data {
        if let text { return Data(text.utf8) }
        let name = file ?? ""
        let largest = Message.maximumContentCount
        do {
            let handle =
                name == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: name))
            // One byte more says that it is too much, however much it is.
            var content = Data()
            while content.count <= largest, let more = try handle.read(upToCount: largest + 1 - content.count),
                !more.isEmpty
            {
                content += more
            }
            guard content.count <= largest else {
                throw Failure(
                    .data, "'\(name.escapedForTerminal)' has more than \(largest) bytes, and a message takes no more.")
            }
            return content
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(.noInput, "Cannot read '\(name.escapedForTerminal)': \(error.localizedDescription)")
        }
    }
}
