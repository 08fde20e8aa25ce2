import ArgumentParser
import EarshotConsole
import EarshotDiscovery
import EarshotDrawing
import EarshotMessages

struct SubscribeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Get the messages that are published within earshot.",
        discussion: """
            Listens for tokens, asks the service, earshotd, what they stand for, and prints a line when a message is found and \
            when it is lost: unpublished, expired, or no longer within earshot. It is found by publishers as well, by a token of \
            its own, unless --mode scan. Ends with Ctrl-C, after --seconds, or when --count messages were found.

            Messages in the sound itself ('publish --direct') are printed like any other, and marked: nobody vouches \
            for them. With --direct only they are, and no service is needed.

            EXAMPLES:
              export EARSHOT_KEY=$(cat key.txt)
              earshot subscribe
              earshot subscribe --type menu --count 1 --json
              earshot subscribe --direct --mode scan

            Lines of JSON with --json; "base64" stands in place of "text" where the content is no UTF-8:
              {"event":"found","text":"hello","bytes":5,"type":"","namespace":"","authenticated":true,
              "id":"…","at_s":3.402,"time":"2026-11-22T14:03:22.157Z"}
            and "lost" alike; "status", "problem" and "solved" as with 'publish'.

            Exit codes: 0 a message was found; 1 none was.
            """)

    @Option(help: "Only messages of this type; empty for all.")
    var type = ""

    @Option(help: "Messages of this namespace.")
    var namespace = ""

    @OptionGroup var options: MessageOptions

    @Option(help: ArgumentHelp("End when so many messages were found.", valueName: "count"))
    var count: Int?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count \(count): at least one message.") }
        if options.direct, !type.isEmpty || !namespace.isEmpty {
            throw ValidationError("--direct with --type or --namespace: messages in the sound itself have neither.")
        }
        if options.direct, options.mode == .broadcast {
            throw ValidationError("--direct with --mode broadcast: who does not listen hears nothing.")
        }
    }

    func run() throws {
        let run = MessageRun()
        let output = MessageOutput(isJSON: options.json, isQuiet: options.quiet)
        let manager = try options.manager(output)
        let subscription: Subscription
        do throws(MessageError) {
            let strategy = options.strategy(otherwise: options.direct ? .scan : .both)
            subscription =
                options.direct
                ? try manager.subscribeDirectly(strategy: strategy)
                : try manager.subscribe(namespace: namespace, type: type, strategy: strategy)
        } catch {
            throw Failure(.usage, "Cannot subscribe: \(error).")
        }
        let limit = count
        run.run(manager, seconds: options.seconds, output, statuses: subscription.statuses) {
            for await event in subscription {
                output.take(event)
                if let limit, output.foundCount >= limit { return }
            }
        }
        let found = output.foundCount
        output.conclude("\(found) \(found == 1 ? "message" : "messages") found in")
        if found == 0 { throw ExitCode(ExitStatus.noTokenFound.rawValue) }
    }
}
