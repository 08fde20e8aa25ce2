import ArgumentParser
import EarshotServer
import FoundationEssentials

struct NamespaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "namespace", abstract: "Create namespaces for the messages of beacons, and publish them.",
        discussion: """
            The name of a namespace is unique among all projects. Devices of other projects can read the messages of a public \
            namespace if they ask for it by name; only the project itself can read those of an unlisted one.

            TRY IT:
              earshotd namespace create demo com.example.museum
              earshotd beacon attach eddystone:00112233445566778899:aabbccddeeff \\
                  --text "Open until 18:00" --namespace com.example.museum
              earshotd namespace publish com.example.museum
            """,
        subcommands: [Create.self, List.self, Publish.self, Unlist.self, Remove.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Create a namespace.")

        @Argument(help: "The project that owns the namespace.")
        var project: String

        @Argument(help: "The name: 1 to 64 letters, digits, '-', '.' and '_'.")
        var name: String

        @Flag(name: .customLong("public"), help: "Let devices of other projects read its messages.")
        var isPublic = false

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let created = try await administer(database) { store in
                try await BeaconRegistry(store).createNamespace(
                    name, project: try await store.project(named: project), isPublic: isPublic)
            }
            print("namespace \(name) of project \(project), \(created.value.visibility)")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the namespaces: name, project, visibility.",
            discussion: """
                With --json, a line of JSON for each:
                  {"namespace":"com.example.museum","project":"demo","visibility":"PUBLIC"}
                """)

        @Option(help: "List only the namespaces of this project.")
        var project: String?

        @Flag(help: "Print lines of JSON.")
        var json = false

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let namespaces = try await administer(database) { store in
                var scope = RegistryScope.all
                if let project { scope = .project(try await store.project(named: project)) }
                return try await BeaconRegistry(store).namespaces(scope)
            }
            for namespace in namespaces {
                print(
                    json
                        ? try JSONText.line(Entry(namespace))
                        : "\(namespace.name)\t\(namespace.project)\t\(namespace.visibility)")
            }
        }

        private struct Entry: Encodable {
            let namespace: String
            let project: String
            let visibility: String

            init(_ namespace: Namespace) {
                self.namespace = namespace.name
                project = namespace.project
                visibility = namespace.isPublic ? "PUBLIC" : "UNLISTED"
            }
        }
    }

    struct Publish: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let devices of other projects read the messages of a namespace.")

        @Argument(help: "The name of the namespace.")
        var name: String

        @OptionGroup var database: DatabaseOption

        func run() async throws { try await setVisibility(of: name, isPublic: true, database) }
    }

    struct Unlist: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a namespace back: only its project can read its messages.")

        @Argument(help: "The name of the namespace.")
        var name: String

        @OptionGroup var database: DatabaseOption

        func run() async throws { try await setVisibility(of: name, isPublic: false, database) }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a namespace without messages. Any project may create it then.")

        @Argument(help: "The name of the namespace.")
        var name: String

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            try await administer(database) { try await BeaconRegistry($0).removeNamespace(name, .all) }
            print("namespace \(name) is removed")
        }
    }
}

private func setVisibility(of name: String, isPublic: Bool, _ database: DatabaseOption) async throws {
    let namespace = try await administer(database) {
        try await BeaconRegistry($0).setVisibility(of: name, isPublic: isPublic, .all)
    }
    print("namespace \(name) of project \(namespace.project), \(namespace.visibility)")
}

extension Namespace {
    /// The visibility as a word.
    fileprivate var visibility: String { isPublic ? "public" : "unlisted" }
}
