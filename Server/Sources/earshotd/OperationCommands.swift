import ArgumentParser
import EarshotServer

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "List the devices that have a session, and end sessions.",
        subcommands: [List.self, End.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the devices: identifier, project, key, publications, subscriptions, end of the session.",
            discussion: """
                With --json, a line of JSON for each:
                  {"device":"…","expires":"2026-12-01T12:00:00Z","key":1,
                  "project":"demo","publications":1,"subscriptions":2}
                """)

        @Option(help: "List only the devices of this project.")
        var project: String?

        @Flag(help: "Print lines of JSON.")
        var json = false

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            for device in try await administer(database, { try await $0.devices(project: project) }) {
                print(
                    json
                        ? try JSONText.line(Entry(device))
                        : """
                        \(device.identifier)\t\(device.project)\tkey \(device.key)\t\(device.publications) publications\t\
                        \(device.subscriptions) subscriptions\tuntil \(device.expires.text)
                        """)
            }
        }

        private struct Entry: Encodable {
            let device: String
            let project: String
            let key: Int64
            let publications: Int64
            let subscriptions: Int64
            let expires: String

            init(_ record: DeviceRecord) {
                (device, project, key) = (record.identifier, record.project, record.key)
                (publications, subscriptions) = (record.publications, record.subscriptions)
                expires = record.expires.text
            }
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a device's session, with its publications and subscriptions. Its app may open a new one.",
            discussion: "To exclude an app permanently, revoke its key: earshotd key revoke.")

        @Argument(help: "The identifier in 'earshotd device list'.")
        var device: String

        @OptionGroup var database: DatabaseOption

        func run() async throws { try await end(.device(device), database) }
    }
}

struct PublicationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publication", abstract: "List the publications, without their contents, and end them.",
        subcommands: [List.self, End.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the publications: identifier, project, device, namespace, type, size, end.",
            discussion: """
                With --json, a line of JSON for each:
                  {"bytes":7,"device":"…","expires":"2026-12-01T12:00:00Z","namespace":"",
                  "project":"demo","publication":"…","type":"greeting"}
                """)

        @Option(help: "List only the publications of this project.")
        var project: String?

        @Flag(help: "Print lines of JSON.")
        var json = false

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            for publication in try await administer(database, { try await $0.publications(project: project) }) {
                let entry = Entry(publication)
                // A type may have any characters, so it is quoted.
                print(
                    json
                        ? try JSONText.line(entry)
                        : """
                        \(entry.publication)\t\(entry.project)\t\(entry.device)\t\(try JSONText.line(entry.namespace))\t\
                        \(try JSONText.line(entry.type))\t\(entry.bytes) bytes\tuntil \(entry.expires)
                        """)
            }
        }

        private struct Entry: Encodable {
            let publication: String
            let project: String
            let device: String
            let namespace: String
            let type: String
            let bytes: Int64
            let expires: String

            init(_ record: PublicationRecord) {
                (publication, project, device) = (record.identifier, record.project, record.device)
                (namespace, type, bytes) = (record.namespace, record.type, record.contentCount)
                expires = record.expires.text
            }
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a publication. The devices that found its message lose it.",
            discussion: """
                Its app may publish the message again, as Earshot's programs do within a minute. To exclude an app permanently, \
                revoke its key: earshotd key revoke.
                """)

        @Argument(help: "The identifier in 'earshotd publication list'.")
        var publication: String

        @OptionGroup var database: DatabaseOption

        func run() async throws { try await end(.publication(publication), database) }
    }
}

private func end(_ item: EndedItem, _ database: DatabaseOption) async throws {
    let name =
        switch item {
        case .device(let identifier): "device \(identifier)"
        case .publication(let identifier): "publication \(identifier)"
        }
    let isEnded = try await administer(database) { try await $0.end(item) }
    print(isEnded ? "\(name) has ended" : "\(name) ends when a service runs")
}

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the SQLite database into a new file, while the service runs.",
        discussion: """
            The copy is one moment of the database. Of open projects it has messages and live tokens in plain text, and only \
            its owner may read it. To restore it, stop the service, remove the database's -wal and -shm files, and put the copy in the \
            database's place, with the service's user as its owner.

            PostgreSQL has pg_dump for this.
            """)

    @Argument(help: "The file to create.", completion: .file())
    var file: String

    @OptionGroup var database: DatabaseOption

    func run() async throws {
        try await administer(database) { try await $0.backUp(to: file) }
        print("\(file) is a copy of \(database.name)")
    }
}

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Look for damage and contradictions in the database, while the service runs.",
        discussion: """
            It reads everything, in one snapshot, and changes no row. It exits with status 1 if it finds a problem. Restore a \
            backup then.
            """)

    @Flag(help: "Print a line of JSON.")
    var json = false

    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let inspection = try await orFail("database '\(database.name)'") {
            do {
                let store = try StoreOpening.administer(database.database, creates: false)
                let inspection = try await store.inspect()
                try store.close()
                return inspection
            } catch {
                // SQLite finds some damage when it opens the file, and some only when it looks.
                guard let damage = error.damage ?? error.strangeTables else { throw error }
                return Inspection(problems: [damage])
            }
        }
        if json {
            print(try JSONText.line(Report(inspection)))
        } else {
            for problem in inspection.problems { print("problem: \(problem)") }
            let counts = inspection.counts.map { "\($0.table) \($0.count)" }.joined(separator: ", ")
            let verdict = inspection.problems.isEmpty ? "no problem" : "not in order"
            print(counts.isEmpty ? verdict : "\(verdict); rows: \(counts)")
        }
        guard inspection.problems.isEmpty else { throw ExitCode.failure }
    }

    private struct Report: Encodable {
        let problems: [String]
        let rows: [String: Int64]

        init(_ inspection: Inspection) {
            problems = inspection.problems
            rows = Dictionary(inspection.counts.map { ($0.table, $0.count) }) { first, _ in first }
        }
    }
}

struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copy a SQLite database into an empty one on PostgreSQL.",
        discussion: """
            Stop the service first. Sessions, keys, messages, beacons and the positions of event streams stay valid, so clients \
            continue where they were:
              earshotd copy earshotd.sqlite postgres://earshot@db.example/earshot
            The file stays as it is. If the copy fails, the target stays empty.
            """)

    @Argument(help: "The SQLite database.", completion: .file())
    var source: String

    @Argument(help: "The address of the empty database, postgres://user@host/name.")
    var target: String

    func run() async throws {
        let counts = try await orFail("cannot copy '\(source)' to '\(StoreOpening.name(target))'") {
            try await StoreOpening.copy(from: source, to: target)
        }
        for (table, count) in counts where count > 0 { print("\(table)\t\(count)") }
    }
}
