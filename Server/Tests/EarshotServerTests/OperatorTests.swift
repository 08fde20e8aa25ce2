import AsyncHTTPClient
import Foundation
import GRDB
import Testing

@testable import EarshotServer

/// The operator's commands that list, end, copy and check while the service runs.
@Suite(.serialized, .timeLimit(.minutes(2))) struct OperatorTests {
    /// A daemon with two devices. One has found the other's message.
    private struct Scene {
        let daemon: Daemon
        let key: String
        let publisher: String
        let listener: String
        let publication: String
    }

    private func scene(_ daemon: Daemon) async throws -> Scene {
        let key = try daemon.key()
        try await daemon.serve()
        func session() async throws -> String {
            try #require(try await daemon.send("POST", "/v1/devices", bearer: key).json["session"] as? String)
        }
        let (publisher, listener) = (try await session(), try await session())
        let published = try await daemon.send(
            "POST", "/v1/publications", bearer: publisher, ["content": "aGVsbG8=", "type": "a\tb", "ttl_s": 86_400])
        let token = try #require((published.json["token"] as? [String: Any])?["token"] as? String)
        _ = try await daemon.send("POST", "/v1/subscriptions", bearer: listener, ["ttl_s": 86_400])
        _ = try await daemon.send("POST", "/v1/sightings", bearer: listener, ["heard": [token]])
        return Scene(
            daemon: daemon, key: key, publisher: publisher, listener: listener,
            publication: try #require(published.json["id"] as? String))
    }

    private func daemon(_ kind: StoreKind) throws -> Daemon {
        #if Postgres
            if kind == .postgres { return try Daemon(database: try PostgresServer.shared.get().makeDatabase()) }
        #endif
        return try Daemon()
    }

    private func json(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    /// Eight operators at once, beside a service that publishes: each command succeeds, and each key works.
    @Test(arguments: StoreKind.all) func commandsAtOnce(_ kind: StoreKind) async throws {
        let scene = try await scene(daemon(kind))
        let database = scene.daemon.database
        let isOver = SharedFlag()
        async let published = {
            var count = 0
            while !isOver.isSet {
                let answer = try await scene.daemon.send(
                    "POST", "/v1/publications", bearer: scene.publisher, ["content": "aGVsbG8=", "ttl_s": 86_400])
                #expect(answer.status == 201)
                let id = try #require(answer.json["id"] as? String)
                #expect(
                    try await scene.daemon.send("DELETE", "/v1/publications/\(id)", bearer: scene.publisher).status
                        == 204)
                count += 1
                // Two requests in 0.2 s: a device has 20 a second.
                try await Task.sleep(for: .milliseconds(200))
            }
            return count
        }()
        // One process runs all commands: see `Process.begin`.
        let script = """
            for operator in 1 2 3 4 5 6 7 8; do (
                "$0" project create $operator --open --database "$1" &&
                "$0" key create $operator --database "$1" 2>/dev/null &&
                "$0" device list --database "$1" | grep -q "\tours\t" &&
                "$0" check --database "$1" | grep -q "no problem" || echo "operator $operator failed"
            ) & done
            wait
            """
        let output = try await onThread { try Daemon.shell(script, database) }
        let keys = output.split(separator: "\n").filter { $0.hasPrefix("earshot-key-") }.map(String.init)
        #expect(!output.contains("failed"), "\(output)")
        isOver.set(true)
        #expect(try await published > 0)
        #expect(Set(keys).count == 8)
        for key in keys { #expect(try await scene.daemon.send("POST", "/v1/devices", bearer: key).status == 201) }
        #expect(try scene.daemon.run("project", "list").output.split(separator: "\n").count == 9)
        #expect(scene.daemon.end(SIGTERM) == 0)
    }

    @Test(arguments: StoreKind.all) func listsAndEndsADevice(_ kind: StoreKind) async throws {
        let scene = try await scene(daemon(kind))
        let devices = try json(try scene.daemon.run("device", "list", "--json").output)
        #expect(devices.map { $0["publications"] as? Int } == [1, 0])
        #expect(devices.map { $0["subscriptions"] as? Int } == [0, 1])
        #expect(devices.allSatisfy { $0["project"] as? String == "ours" && $0["key"] as? Int == 1 })
        #expect(try scene.daemon.run("device", "list", "--project", "theirs").output.isEmpty)
        let lines = try scene.daemon.run("device", "list").output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("\tours\tkey 1\t1 publications\t0 subscriptions\tuntil 20"))
        var reader = try await EventReader(scene.daemon.base, bearer: scene.listener)
        #expect(try await reader.next()?.name == "ready")
        #expect(try await reader.next()?.text == "hello")

        let device = try #require(devices[0]["device"] as? String)
        let ended = try scene.daemon.run("device", "end", device)
        #expect(ended.status == 0 && ended.output == "device \(device) has ended\n", "\(ended)")
        #expect(try await scene.daemon.send("GET", "/v1/device", bearer: scene.publisher).status == 401)
        // The other one loses its message.
        #expect(try await reader.next()?.name == "lost")
        #expect(try await scene.daemon.send("GET", "/v1/device", bearer: scene.listener).status == 200)
        let again = try scene.daemon.run("device", "end", device)
        #expect(again.status == 1 && again.error.contains("There is no device '\(device)'"))
        #expect(scene.daemon.end(SIGTERM) == 0)
    }

    @Test(arguments: StoreKind.all) func listsAndEndsAPublication(_ kind: StoreKind) async throws {
        let scene = try await scene(daemon(kind))
        let publications = try json(try scene.daemon.run("publication", "list", "--json").output)
        #expect(publications.count == 1)
        #expect(publications[0]["publication"] as? String == scene.publication)
        #expect(publications[0]["bytes"] as? Int == 5 && publications[0]["type"] as? String == "a\tb")
        // A tab in a type does not look like the end of a column.
        let line = try scene.daemon.run("publication", "list").output
        #expect(line.contains("\t\"\"\t\"a\\tb\"\t5 bytes\tuntil 20"), "\(line)")
        var reader = try await EventReader(scene.daemon.base, bearer: scene.listener)
        _ = try await reader.next()
        #expect(try await reader.next()?.text == "hello")
        let ended = try scene.daemon.run("publication", "end", scene.publication)
        #expect(ended.output == "publication \(scene.publication) has ended\n", "\(ended)")
        #expect(try await reader.next()?.name == "lost")
        // Its device still works.
        #expect(try await scene.daemon.send("GET", "/v1/device", bearer: scene.publisher).status == 200)
        #expect(try scene.daemon.run("publication", "list").output.isEmpty)
        let unknown = try scene.daemon.run("publication", "end", "nothing")
        #expect(unknown.status == 1 && unknown.error.contains("There is no publication 'nothing'"))
        #expect(scene.daemon.end(SIGTERM) == 0)
    }

    /// Without a service, the order to end an item waits for one.
    @Test(arguments: StoreKind.all) func anOrderWaitsForAService(_ kind: StoreKind) async throws {
        let scene = try await scene(daemon(kind))
        #expect(scene.daemon.end(SIGTERM) == 0)
        let device = try #require(
            try json(try scene.daemon.run("device", "list", "--json").output)[0]["device"] as? String)
        let ordered = try scene.daemon.run("device", "end", device)
        #expect(ordered.output == "device \(device) ends when a service runs\n", "\(ordered)")
        try await scene.daemon.serve()
        #expect(try await scene.daemon.send("GET", "/v1/device", bearer: scene.publisher).status == 401)
        #expect(try await scene.daemon.send("GET", "/v1/device", bearer: scene.listener).status == 200)
        #expect(scene.daemon.end(SIGTERM) == 0)
    }

    @Test func backsUpWhileItRuns() async throws {
        let scene = try await scene(Daemon())
        let copy = scene.daemon.file("copy.sqlite").path
        let made = try scene.daemon.run("backup", copy)
        #expect(made.status == 0, "\(made.error)")
        let rights = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        let again = try scene.daemon.run("backup", copy)
        #expect(again.status == 1 && again.error.contains("'\(copy)' exists already"))
        let nowhere = try scene.daemon.run("backup", "/nowhere/x")
        #expect(nowhere.status == 1 && nowhere.error.contains("Cannot create '/nowhere/x': No such file or directory"))
        let files = try FileManager.default.contentsOfDirectory(atPath: scene.daemon.directory.path)
        #expect(!files.contains { $0.contains("unfinished") })
        #expect(scene.daemon.end(SIGTERM) == 0)
        // A service can use the copy as its database.
        let restored = try Daemon(database: copy)
        try await restored.serve()
        #expect(try await restored.send("GET", "/v1/device", bearer: scene.publisher).status == 200)
        #expect(restored.end(SIGTERM) == 0)
    }

    @Test(arguments: StoreKind.all) func checks(_ kind: StoreKind) async throws {
        let scene = try await scene(daemon(kind))
        let good = try scene.daemon.run("check")
        #expect(good.status == 0, "\(good)")
        #expect(
            good.output
                == "no problem; rows: project 1, api_key 1, device 2, publication 1, subscription 1, beacon 0\n")
        let report = try json(try scene.daemon.run("check", "--json").output)[0]
        #expect((report["problems"] as? [String])?.isEmpty == true)
        #expect((report["rows"] as? [String: Int])?["device"] == 2)
        #expect(scene.daemon.end(SIGTERM) == 0)
    }

    /// The test makes each contradiction that the check knows, and the check finds it.
    @Test(arguments: [
        ("UPDATE device SET key_id = 99 WHERE id = 1", "1 devices belong to no key of their project"),
        ("UPDATE publication SET device_id = 99", "1 publications belong to no device of their project"),
        ("UPDATE subscription SET project_id = 99", "1 subscriptions belong to no device of their project"),
        ("UPDATE delivery SET subscription_id = 99", "1 deliveries belong to no subscription of their device"),
        ("UPDATE delivery SET publication_id = 99", "1 deliveries belong to no publication"),
        ("UPDATE device SET sequence = 0", "1 deliveries have a number that their device has not reached"),
        ("UPDATE publication SET content_count = 7", "1 contents have another size than their row says"),
        ("UPDATE token SET project_id = 99", "1 tokens are of two projects"),
        ("PRAGMA foreign_keys = OFF; UPDATE api_key SET project_id = 99", "a row of api_key names one of project"),
    ])
    func findsContradictions(_ change: String, _ sentence: String) async throws {
        let scene = try await scene(Daemon())
        #expect(scene.daemon.end(SIGTERM) == 0)
        let queue = try DatabaseQueue(path: scene.daemon.database)
        try await queue.writeWithoutTransaction { try $0.execute(sql: change) }
        try queue.close()
        let found = try scene.daemon.run("check")
        #expect(found.status == 1 && found.output.contains("problem: \(sentence)"), "\(found)")
        #expect(found.output.contains("not in order; rows: "))
    }

    @Test func findsADamagedFile() async throws {
        let scene = try await scene(Daemon())
        #expect(scene.daemon.end(SIGTERM) == 0)
        // The second page, of 4,096 bytes, is one of a table or an index.
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: scene.daemon.database))
        try file.seek(toOffset: 4_096)
        try file.write(contentsOf: Data(repeating: 0xFF, count: 4_096))
        try file.close()
        let found = try scene.daemon.run("check")
        #expect(found.status == 1 && found.output.contains("problem: SQLite: "), "\(found)")
        let report = try json(try scene.daemon.run("check", "--json").output)[0]
        #expect((report["problems"] as? [String])?.isEmpty == false)
        let listed = try scene.daemon.run("key", "list")
        #expect(
            listed.status == 1 && listed.error.contains("the file is damaged (SQLite: ")
                && listed.error.contains("Restore a backup."), "\(listed)")
    }

    @Test func findsTablesOfAnotherForm() async throws {
        let scene = try await scene(Daemon())
        #expect(scene.daemon.end(SIGTERM) == 0)
        let queue = try DatabaseQueue(path: scene.daemon.database)
        try await queue.writeWithoutTransaction {
            try $0.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    UPDATE sqlite_master SET sql = replace(sql, 'device_id', 'devicX_id') WHERE name = 'subscription';
                    """)
        }
        try queue.close()
        let found = try scene.daemon.run("check")
        #expect(
            found.status == 1
                && found.output.contains(
                    "problem: The tables are not those of earshotd: no such column: subscription.device_id\n"),
            "\(found)")
        #expect(!found.output.contains("SELECT") && found.error.isEmpty, "\(found)")
    }

    #if Postgres
        /// A service moves from SQLite to PostgreSQL: sessions, messages, beacons and streams continue from their
        /// previous state.
        @Test func copiesToPostgreSQL() async throws {
            let scene = try await scene(Daemon())
            let beacon = "ibeacon:00112233-4455-6677-8899-aabbccddeeff:1:2"
            _ = try scene.daemon.run("beacon", "register", "ours", beacon)
            _ = try scene.daemon.run("beacon", "attach", beacon, "--text", "Welcome")
            var reader = try await EventReader(scene.daemon.base, bearer: scene.listener)
            _ = try await reader.next()
            let cursor = try #require(try await reader.next()?.id)
            let target = try PostgresServer.shared.get().makeDatabase()
            let early = try scene.daemon.runAlone("copy", scene.daemon.database, target)
            #expect(early.status == 1 && early.error.contains("serves this database already"), "\(early)")
            #expect(scene.daemon.end(SIGTERM) == 0)
            let copied = try scene.daemon.runAlone("copy", scene.daemon.database, target)
            #expect(copied.status == 0, "\(copied.error)")
            #expect(copied.output.contains("device\t2\npublication\t1\nsubscription\t1\ntoken\t2\ndelivery\t1\n"))
            let again = try scene.daemon.runAlone("copy", scene.daemon.database, target)
            #expect(again.status == 1 && again.error.contains("The target has 1 project already"))

            let moved = try Daemon(database: target)
            let inspected = try moved.run("check")
            #expect(inspected.status == 0, "\(inspected)")
            try await moved.serve()
            // The stream resumes after its last event, and reports the lost message.
            var resumed = try await EventReader(moved.base, bearer: scene.listener, lastEventID: cursor)
            let gone = try await moved.send("DELETE", "/v1/publications/\(scene.publication)", bearer: scene.publisher)
            #expect(gone.status == 204)
            var event = try #require(try await resumed.next())
            if event.name == "ready" { event = try #require(try await resumed.next()) }
            #expect(event.name == "lost")
            // The old key opens sessions, and new rows get unused numbers.
            #expect(try await moved.send("POST", "/v1/devices", bearer: scene.key).status == 201)
            #expect(try moved.run("project", "create", "next").status == 0)
            #expect(try moved.run("beacon", "list", "--json").output.contains("V2VsY29tZQ=="))
            #expect(moved.end(SIGTERM) == 0)
        }
    #endif

    @Test func copiesInOneDirectionOnly() throws {
        let daemon = try Daemon()
        let result = try daemon.runAlone("copy", "postgres://x@y/z", "file.sqlite")
        #expect(result.status == 1 && result.error.contains("Copy from a SQLite file to postgres://"))
        let missing = try daemon.runAlone("copy", "/nowhere/x.sqlite", "postgres://x:secret@127.0.0.1:1/z")
        #expect(missing.status == 1 && missing.error.contains("There is no file '/nowhere/x.sqlite'"))
        #expect(!missing.error.contains("secret"))
    }
}
