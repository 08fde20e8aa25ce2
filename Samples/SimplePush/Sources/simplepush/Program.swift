import ArgumentParser
import Dispatch
import Foundation
import Glibc
import SimplePushClient
import SimplePushKit
import UIKitNames

/// Runs a command. `run` is an app with a delegate on the main queue; the others are tasks.
@main enum Program {
    @MainActor static func main() {
        do {
            var command = try SimplePush.parseAsRoot()
            if let run = command as? Run {
                AppDelegate.outputsJSON = run.output.json
                AppDelegate.main()
            } else if let command = command as? any ClientCommand {
                Task {
                    do {
                        try await command.perform()
                        exit(0)
                    } catch {
                        end(error)
                    }
                }
                dispatchMain()
            } else {
                try command.run()
            }
        } catch {
            SimplePush.exit(withError: error)
        }
    }

    /// Prints the error, and exits with a status of sysexits.h.
    static func end(_ error: any Error) -> Never {
        if error is ExitCode { SimplePush.exit(withError: error) }
        FileHandle.standardError.write(Data("simplepush: \(error)\n".utf8))
        exit(status(of: error))
    }

    private static func status(of error: any Error) -> Int32 {
        switch error {
        case is SettingsError: EX_CONFIG
        case is SecretError: EX_NOINPUT
        case is CallChoiceError: EX_DATAERR
        case let failure as LinkFailure: failure.needsHelp ? EX_NOPERM : EX_UNAVAILABLE
        case let refusal as Refusal:
            switch refusal.code {
            case .unknownUser: EX_NOUSER
            case .full, .storage, .crowded, .ending: EX_TEMPFAIL
            default: EX_DATAERR
            }
        case is WireError: EX_USAGE
        default: EX_SOFTWARE
        }
    }
}

struct SimplePush: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simplepush",
        abstract: "Texts and calls on a network without internet.",
        discussion: """
            First say who you are and on which network, with the secret file of the server:

                simplepush settings --host 10.0.0.2 --ssid "My Cruise Ship Wi-Fi" --user ann --name Ann --secret-file secret

            Then texts arrive as notifications while this machine is on that network, also if no program of yours runs: \
            earshot-agent runs simplepush-provider. A call starts 'simplepush run'.

                simplepush contacts
                simplepush text ben Dinner at eight?
                simplepush texts ben
                simplepush call ben

            Exit codes: 0 done, 64 wrong usage, 65 no such call, 67 no such user, 69 no server, 75 try again later, 77 the server \
            refuses this program, 78 no settings.
            """,
        subcommands: [
            Settings.self, Contacts.self, Text.self, Texts.self, Call.self, Run.self, Accept.self, Decline.self,
            HangUp.self,
        ])
}

/// A command that talks to the server or to the agent.
protocol ClientCommand: ParsableCommand, Sendable {
    func perform() async throws
}

struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object for each line.") var json = false
}

struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Wait for calls.",
        discussion: """
            The agent starts it for a call if it does not run. On its standard input the lines 'accept', 'decline' and 'hangup' act \
            on the call; the commands of the same names do it from elsewhere. Ctrl-C ends it.
            """)

    @OptionGroup var output: OutputOptions
}
