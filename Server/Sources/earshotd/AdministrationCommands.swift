import ArgumentParser
import EarshotServer
import FoundationEssentials
import Glibc

struct ProjectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "project", abstract: "Create and list projects. Messages never cross from one to another.",
        subcommands: [Create.self, List.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Create a project.")

        @Argument(help: "The project's name, 1 to 64 characters.")
        var name: String

        @OptionGroup var database: DatabaseOption

        func validate() throws { try requireName(name) }

        func run() async throws {
            let project = try await administer(database) { store in
                try await store.createProject(name: name)
            }
            print("project \(project.name)")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the projects.")

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            for project in try await administer(database, { try await $0.projects() }) {
                print("\(project.name)\tsince \(project.created.text)")
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
            abstract: "Create a key and print it, once. Standard output holds the key alone.")

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

        @OptionGroup var database: DatabaseOption

        func validate() throws { if !name.isEmpty { try requireName(name) } }

        func run() async throws {
            let role: KeyRole = owner ? .owner : .device
            let secret = Secret.newKey(role)
            let key = try await administer(database) { store in
                try await store.createKey(project: project, name: name, role: role, hash: Secret.hash(secret))
            }
            print(secret)
            printError(
                "\(owner ? "Owner's key" : "Key") \(key.id) of project \(project). Keep it: it is not shown again.")
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
            abstract: "List the keys: number, project, name, dates; 'owner' for owners' keys.")

        @Option(help: "List only the keys of this project.")
        var project: String?

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            for key in try await administer(database, { try await $0.keys(project: project) }) {
                let revoked = key.revoked.map { "\trevoked \($0.text)" } ?? ""
                let role = key.role == .owner ? "\towner" : ""
                print("\(key.id)\t\(key.project)\t\(key.name)\tsince \(key.created.text)\(role)\(revoked)")
            }
        }
    }
}

private func requireName(_ name: String) throws {
    // The lists have one name a line, between tabs.
    let isOneLine = name.unicodeScalars.allSatisfy { scalar in
        ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }
    guard (1...64).contains(name.unicodeScalars.count), isOneLine else {
        throw ValidationError("A name has 1 to 64 characters on one line, without tabs.")
    }
}

/// Opens the database, which a running service may use too, and closes it again.
func administer<Value>(
    _ database: DatabaseOption, _ body: (any OperatorStore) async throws -> Value
) async throws -> Value {
    try await orFail("cannot use the database '\(database.name)'") {
        let store = try StoreOpening.administer(database.database)
        let value = try await body(store)
        try store.close()
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
        printError("Error: \(failure): \(error)")
        throw ExitCode.failure
    }
}

extension Moment {
    /// The time in RFC 3339 format.
    fileprivate var text: String {
        Date(timeIntervalSince1970: Double(milliseconds / 1_000)).formatted(.iso8601)
    }
}

/// Prints a line on standard error.
func printError(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(STDERR_FILENO, line, line.count)
}
