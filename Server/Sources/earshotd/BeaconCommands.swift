import ArgumentParser
import EarshotServer
import EarshotSystem
import FoundationEssentials
import Glibc
import NearbyWire

struct BeaconCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beacon", abstract: "Register beacons and attach messages to them.",
        discussion: """
            A beacon is a small Bluetooth sender that repeats its identity. Devices that hear a registered one get the \
            messages that its project attached, and 'earshot subscribe --beacons' prints them. Each beacon belongs to one \
            project.

            TRY IT:
              earshotd beacon register demo eddystone:00112233445566778899:aabbccddeeff
              earshotd beacon attach eddystone:00112233445566778899:aabbccddeeff \\
                  --text "Welcome" --type greeting
              earshotd beacon list

            BEACON is one of
              eddystone:NAMESPACE:INSTANCE    20 and 12 hexadecimal digits
              ibeacon:UUID:MAJOR:MINOR        a UUID and two numbers of 0 to 65535
              altbeacon:COMPANY:IDENTIFIER    such as 0x0118, and 40 hexadecimal digits

            With a key of 'earshotd key create PROJECT --owner', programs do the same over HTTP.
            """,
        subcommands: [Register.self, Attach.self, List.self, Detach.self, Remove.self])

    struct Register: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Register a beacon. If the project has it already, its note changes.")

        @Argument(help: "The project that owns the beacon.")
        var project: String

        @Argument(help: "The beacon, such as ibeacon:UUID:MAJOR:MINOR.", transform: beacon(_:))
        var beacon: BeaconIdentifier

        @Option(help: "A note for people: where the beacon hangs.")
        var note = ""

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let registered = try await administer(database) { store in
                try await BeaconRegistry(store).register(
                    beacon, note: note, project: try await store.project(named: project))
            }
            print("beacon \(registered.value.identifier) of project \(project)")
        }
    }

    struct Attach: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Attach a message of at most 1,024 bytes to a registered beacon.",
            discussion: """
                Without --namespace only devices of the beacon's own project get the message. To let other projects read \
                it, create a namespace with 'earshotd namespace create --public'.

                Repeated with the same values, it attaches the message once. A beacon has at most 16 messages.
                """)

        @Argument(help: "The beacon, as it was registered.", transform: beacon(_:))
        var beacon: BeaconIdentifier

        @Option(parsing: .unconditional, help: "The message: text.")
        var text: String?

        @Option(help: "The message: the content of a file; - for standard input.", completion: .file())
        var file: String?

        @Option(help: "The type that subscriptions filter by, at most 100 characters without '/'.")
        var type = ""

        @Option(help: "A namespace of the beacon's project. (default: the project's own, which no other can read)")
        var namespace = ""

        @OptionGroup var database: DatabaseOption

        func validate() throws {
            guard (text == nil) != (file == nil) else { throw ValidationError("Give one of --text and --file.") }
        }

        func run() async throws {
            let data = try text.map { Data($0.utf8) } ?? Self.content(of: file ?? "-")
            guard !data.isEmpty || !type.isEmpty else {
                printError(
                    "Error: The message is empty and has no --type, so it says nothing. Give a text, or a --type.")
                throw ExitCode(64)
            }
            let attached = try await administer(database) { store in
                try await BeaconRegistry(store).attach(data, type: type, namespace: namespace, to: beacon, .all)
            }
            print("attachment \(attached.value.identifier)")
        }

        /// The content of a file that the operator names; "-" for standard input.
        private static func content(of path: String) throws(ExitCode) -> Data {
            let maximum = ServiceLimits().attachmentBytes
            do {
                return Data(try InputFile.read(FilePath(path), maximumByteCount: maximum))
            } catch .system(let code) {
                printError("Error: cannot read '\(path)': \(String(cString: strerror(code))).")
                throw ExitCode(66)
            } catch {
                printError("Error: '\(path)' is too large: a message of a beacon has at most \(maximum) bytes.")
                throw ExitCode.failure
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the beacons with their attachments.",
            discussion: """
                A line for each beacon: identity, project, note; below it one for each attachment: number, namespace, type, \
                size. With --json, a line of JSON for each beacon:
                  {"attachments":[{"bytes":7,"data":"V2VsY29tZQ==","id":"…",
                  "namespace":"","type":"greeting"}],
                  "beacon":"eddystone:…","note":"The door","project":"demo"}
                """)

        @Option(help: "List only the beacons of this project.")
        var project: String?

        @Flag(help: "Print lines of JSON.")
        var json = false

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            try await administer(database) { store in
                let registry = BeaconRegistry(store)
                var scope = RegistryScope.all
                if let project { scope = .project(try await store.project(named: project)) }
                var page: BeaconPage
                var last: BeaconIdentifier?
                repeat {
                    page = try await registry.beacons(scope, after: last)
                    for beacon in page.beacons { print(json ? try JSONText.line(Entry(beacon)) : Self.text(beacon)) }
                    last = page.beacons.last?.identifier
                } while page.hasMore
            }
        }

        private static func text(_ beacon: Beacon) -> String {
            let lines = beacon.attachments.map { attachment in
                "  \(attachment.identifier)\t\(attachment.namespace)\t\(attachment.type)\t\(attachment.data.count) bytes"
            }
            return (["\(beacon.identifier)\t\(beacon.project)\t\(beacon.note)"] + lines).joined(separator: "\n")
        }

        private struct Entry: Encodable {
            struct Content: Encodable {
                let id: String
                let namespace: String
                let type: String
                let bytes: Int
                let data: Data
            }

            let beacon: String
            let project: String
            let note: String
            let attachments: [Content]

            init(_ beacon: Beacon) {
                self.beacon = beacon.identifier.text
                project = beacon.project
                note = beacon.note
                attachments = beacon.attachments.map {
                    Content(
                        id: $0.identifier, namespace: $0.namespace, type: $0.type, bytes: $0.data.count, data: $0.data)
                }
            }
        }
    }

    struct Detach: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a message from its beacon.")

        @Argument(help: "The number of the attachment in 'earshotd beacon list'.")
        var attachment: String

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            try await administer(database) { try await BeaconRegistry($0).detach(attachment, .all) }
            print("attachment \(attachment) is removed")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a beacon with its messages. Any project may register it then.")

        @Argument(help: "The beacon, as it was registered.", transform: beacon(_:))
        var beacon: BeaconIdentifier

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            try await administer(database) { try await BeaconRegistry($0).remove(beacon, .all) }
            print("beacon \(beacon) is removed")
        }
    }
}

private func beacon(_ text: String) throws -> BeaconIdentifier {
    do throws(BeaconTextError) {
        return try BeaconIdentifier(text: text)
    } catch {
        throw ValidationError("\(error.description)")
    }
}
