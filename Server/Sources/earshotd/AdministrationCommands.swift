import ArgumentParser
import EarshotServer
import FoundationEssentials
import Glibc

struct ProjectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "project", abstract: "Create and list projects. Messages never cross from one to another.",
        subcommands: [Create.self, List.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a project.",
            discussion: """
                The messages of a project are sealed: only devices that hear each other can read them, and this service cannot. \
                Clients from before version 3 of the air format cannot seal, and a client of your own may not want to. For them:
                  earshotd project create demo --open
                Then the service, and anyone with its database, can read every message.
                """)

        @Argument(help: "The project's name, 1 to 64 characters.")
        var name: String

        @Flag(help: "Let the service read the messages; for clients that cannot seal them.")
        var open = false

        @OptionGroup var database: DatabaseOption

        func validate() throws { try requireName(name) }

        func run() async throws {
            let project = try await administer(database, creates: true) { store in
                try await store.createProject(name: name, salt: open ? nil : Secret.newSalt())
            }
            print("project \(project.name)\(open ? ", open" : "")")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the projects.")

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            for project in try await administer(database, { try await $0.projects() }) {
                print("\(project.name)\tsince \(project.created.text)\(project.salt == nil ? "\topen" : "")")
            }
        }
    }
}

struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Create, revoke and list API keys.",
        subcommands: [Create.self, Revoke.self, List.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a key and print it once. Standard output has only the key.",
            discussion: """
                A key is for one of three: apps, web pages (--browser), or the owner's own programs (--owner).

                Everyone can read a browser key in its page. So it only publishes and subscribes, each address has a limit, \
                and pages of other origins are refused. Name the origin of your page; repeat --origin for more than one:
                  earshotd key create demo --browser --origin https://example.org

                Pages that the service itself serves ('earshotd serve --web') may use it without an \
                origin, if their address is secure (https://, or http://localhost).
                """)

        @Argument(help: "The project of the key.")
        var project: String

        @Option(help: "The purpose of the key, to recognise it in the list.")
        var name = ""

        @Flag(
            help: """
                Create an owner's key: it manages the project's beacons and namespaces over HTTP, and opens no sessions of \
                devices. It must not be in an app.
                """)
        var owner = false

        @Flag(
            help: "Create a key for web pages: it can only publish and subscribe, from pages of the origins."
        )
        var browser = false

        @Option(
            help: ArgumentHelp(
                "An origin whose pages may use the browser key: scheme, host and perhaps port. May be repeated.",
                valueName: "origin"))
        var origin: [String] = []

        @OptionGroup var database: DatabaseOption

        /// The maximum number of origins of a key.
        private static let maximumOriginCount = 50

        func validate() throws {
            if !name.isEmpty { try requireName(name) }
            guard !(browser && owner) else {
                throw ValidationError("--browser and --owner exclude each other: an owner's key must not be in a page.")
            }
            guard browser || origin.isEmpty else { throw ValidationError("--origin is for a key with --browser.") }
            guard origin.count <= Self.maximumOriginCount else {
                throw ValidationError("A key has at most \(Self.maximumOriginCount) origins; create another key.")
            }
            _ = try origins()
        }

        private func origins() throws -> [WebOrigin] {
            try origin.map { text in
                do throws(WebOriginError) {
                    return try WebOrigin(text)
                } catch {
                    throw ValidationError("\(error.description)")
                }
            }
        }

        func run() async throws {
            let role: KeyRole = owner ? .owner : .device
            let secret = browser ? Secret.newBrowserKey() : Secret.newKey(role)
            let origins = browser ? AllowedOrigins(try origins()) : nil
            let key = try await administer(database) { store in
                try await store.createKey(
                    project: project, name: name, role: role, origins: origins, hash: Secret.hash(secret))
            }
            print(secret)
            let kind = owner ? "Owner's key" : browser ? "Browser key" : "Key"
            printError("\(kind) \(key.id) of project \(project). Keep it: it is not shown again.")
            guard let origins else { return }
            let pages = ["this service's own pages"] + origins.texts
            printError("It may be used by \(pages.joined(separator: ", ")).")
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a key. Its sessions end immediately, its messages within a second.")

        @Argument(help: "The number of the key in 'earshotd key list'.")
        var id: Int64

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let key = try await administer(database) { try await $0.revokeKey(id: id) }
            print("key \(key.id) of project \(key.project) is revoked")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the keys: number, project, name, dates; 'owner' or 'browser' with its origins.",
            discussion: """
                With --json, a line of JSON for each:
                  {"created":"2026-11-24T12:00:00Z","id":1,"kind":"browser",
                  "name":"","origins":["https://example.org"],"project":"demo"}

                'kind' is 'app', 'browser' or 'owner'; a revoked key has 'revoked'.
                """)

        @Option(help: "List only the keys of this project.")
        var project: String?

        @Flag(help: "Print lines of JSON.")
        var json = false

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            for key in try await administer(database, { try await $0.keys(project: project) }) {
                guard !json else {
                    print(try JSONText.line(Entry(key)))
                    continue
                }
                let revoked = key.revoked.map { "\trevoked \($0.text)" } ?? ""
                let origins = key.origins?.texts ?? []
                let kind =
                    switch key.kind {
                    case "app": ""
                    case let kind: "\t" + ([kind] + origins).joined(separator: " ")
                    }
                print("\(key.id)\t\(key.project)\t\(key.name)\tsince \(key.created.text)\(kind)\(revoked)")
            }
        }

        private struct Entry: Encodable {
            let id: Int64
            let project: String
            let name: String
            let kind: String
            let origins: [String]?
            let created: String
            let revoked: String?

            init(_ key: APIKey) {
                (id, project, name, kind) = (key.id, key.project, key.name, key.kind)
                origins = key.origins?.texts
                created = key.created.text
                revoked = key.revoked?.text
            }
        }
    }
}

private func requireName(_ name: String) throws {
    // The lists have one name per line, with tabs.
    let isOneLine = name.unicodeScalars.allSatisfy { scalar in
        ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }
    guard (1...64).contains(name.unicodeScalars.count), isOneLine else {
        throw ValidationError("A name has 1 to 64 characters on one line, without tabs.")
    }
}

/// Opens the database, which a running service may be using, and closes it again.
/// - Parameter creates: whether the command creates a missing database.
func administer<Value>(
    _ database: DatabaseOption, creates: Bool = false, _ body: (any OperatorStore) async throws -> Value
) async throws -> Value {
    try await orFail("database '\(database.name)'") {
        let isNew =
            creates && !StoreOpening.isPostgres(database.database)
            && !FileManager.default.fileExists(atPath: database.database)
        let store = try StoreOpening.administer(database.database, creates: creates)
        let value = try await body(store)
        try store.close()
        if isNew { printError("note: a new database, \(database.name)") }
        return value
    }
}

/// Prints a thrown error as a sentence on standard error and exits with status 1.
func orFail<Value>(_ failure: String, _ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let code as ExitCode {
        throw code
    } catch {
        let reason = error.damage.map { "the file is damaged (\($0)). Restore a backup." } ?? "\(error)"
        printError("Error: \(failure): \(reason)")
        throw ExitCode.failure
    }
}

extension APIKey {
    /// The kind of the key.
    fileprivate var kind: String { role == .owner ? "owner" : origins == nil ? "app" : "browser" }
}

extension Moment {
    /// The time in RFC 3339 format.
    var text: String {
        Date(timeIntervalSince1970: Double(milliseconds / 1_000)).formatted(.iso8601)
    }
}

/// Prints a line on standard error.
func printError(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(STDERR_FILENO, line, line.count)
}
