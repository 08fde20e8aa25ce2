import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import EarshotServer

/// The program: its commands, its start and its end.
@Suite(.serialized, .timeLimit(.minutes(2))) struct DaemonTests {
    @Test func projectsAndKeys() throws {
        let daemon = try Daemon()
        let created = try daemon.run("project", "create", "demo")
        #expect(created.output == "project demo\n" && created.error.hasPrefix("note: a new database, "), "\(created)")
        let again = try daemon.run("project", "create", "demo")
        #expect(again.status == 1)
        #expect(again.error.contains("already"))
        let key = try daemon.run("key", "create", "demo", "--name", "phones")
        #expect(key.output.wholeMatch(of: /earshot-key-[0-9a-f]{40}\n/) != nil)
        let secret = key.output.dropFirst("earshot-key-".count).dropLast()
        let list = try daemon.run("key", "list").output
        #expect(list.hasPrefix("1\tdemo\tphones\tsince 20"))
        #expect(!list.contains(secret))
        #expect(try daemon.run("project", "list").output.hasPrefix("demo\tsince 20"))
        #expect(try daemon.run("key", "revoke", "1").output == "key 1 of project demo is revoked\n")
        #expect(try daemon.run("key", "list", "--project", "demo").output.contains("revoked 20"))
        #expect(try daemon.run("key", "revoke", "2").status == 1)
        #expect(try daemon.run("key", "create", "other").error.contains("'earshotd project create'"))
        for name in ["two\nlines", "a\ttab", "a\rreturn", "\u{2028}", String(repeating: "x", count: 65)] {
            let refused = try daemon.run("key", "create", "demo", "--name", name)
            #expect(refused.status == 64, "\(name.debugDescription)")
            #expect(refused.error.contains("on one line"), "\(name.debugDescription)")
            #expect(try daemon.run("project", "create", name).status == 64, "\(name.debugDescription)")
        }
        #expect(try daemon.run("key", "list").output.split(separator: "\n").count == 1)
        #expect(try daemon.run("serve", "--tls-key", "x").status == 64)
        #expect(try daemon.run("serve", "--port", "70000").status == 64)
        for option in ["--connections", "--port", "--key-rate", "--devices-per-key", "--connections-per-address"] {
            let negative = try daemon.run("serve", option, "-1")
            #expect(negative.status == 64 && negative.error.contains("\(option) must be "), "\(negative)")
        }
        for (first, second) in [
            ("--port", "--operations-port"), ("--port", "--node-port"), ("--node-port", "--operations-port"),
        ] {
            let samePort = try daemon.run("serve", first, "8790", second, "8790")
            #expect(samePort.status == 64)
            #expect(samePort.error.contains("\(first) and \(second) are both 8790. Give one of them another port."))
        }
        // The parser alone would suggest the nearest option, however different.
        #expect(
            try daemon.run("serve", "--prot", "8790").error.hasPrefix(
                "Error: Unknown option '--prot'. Did you mean '--port'?\n"))
        #expect(try daemon.run("serve", "--sec", "5").error.hasPrefix("Error: Unknown option '--sec'.\n"))
        let likeHelp = try daemon.run("project", "create", "-hall")
        #expect(likeHelp.status == 64 && likeHelp.output.isEmpty, "\(likeHelp)")
        #expect(likeHelp.error == "Error: Unknown option '-hall'. Put '--' before a text that begins with '-'.\n")
        let loud = try daemon.run("serve", "--log-level", "loud")
        #expect(loud.status == 64)
        #expect(
            loud.error.contains(
                "There is no log level 'loud'. The levels are trace, debug, info, notice, warning, error, critical."))
        // Only the owner may read the database.
        let mode = try FileManager.default.attributesOfItem(atPath: daemon.database)[.posixPermissions] as? Int
        #expect(mode.map { $0 & 0o077 } == 0)
    }

    @Test func beaconsAndNamespaces() throws {
        let daemon = try Daemon()
        let beacon = "eddystone:00112233445566778899:aabbccddeeff"
        _ = try daemon.run("project", "create", "demo")
        let registered = try daemon.run("beacon", "register", "demo", beacon.uppercased(), "--note", "The door")
        #expect(registered.output == "beacon \(beacon) of project demo\n")
        let attached = try daemon.run("beacon", "attach", beacon, "--text", "hello", "--type", "greeting")
        let match = try #require(attached.output.wholeMatch(of: /attachment ([0-9a-f]{32})\n/))
        let id = String(match.1)
        #expect(try daemon.run("namespace", "create", "demo", "n").output == "namespace n of project demo, unlisted\n")
        try Data([0xFF, 0x00]).write(to: daemon.file("data"))
        let file = daemon.file("data").path
        #expect(try daemon.run("beacon", "attach", beacon, "--file", file, "--namespace", "n").status == 0)
        let empty = try daemon.run("beacon", "attach", beacon, "--text", "")
        #expect(empty.status == 64 && empty.error.contains("says nothing"), "\(empty)")
        let list = try daemon.run("beacon", "list", "--project", "demo").output.split(separator: "\n")
        #expect(list.count == 3 && list[0] == "\(beacon)\tdemo\tThe door")
        #expect(list[1] == "  \(id)\t\tgreeting\t5 bytes" && list[2].hasSuffix("\tn\t\t2 bytes"))
        let line = try daemon.run("beacon", "list", "--json").output
        let json = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(json["beacon"] as? String == beacon && json["project"] as? String == "demo")
        let attachments = try #require(json["attachments"] as? [[String: Any]])
        #expect(attachments.map { $0["data"] as? String } == ["aGVsbG8=", "/wA="])
        #expect(try daemon.run("namespace", "publish", "n").output == "namespace n of project demo, public\n")
        #expect(
            try daemon.run("namespace", "list", "--json").output
                == "{\"namespace\":\"n\",\"project\":\"demo\",\"visibility\":\"PUBLIC\"}\n")
        #expect(try daemon.run("namespace", "unlist", "n").output == "namespace n of project demo, unlisted\n")
        #expect(try daemon.run("namespace", "list").output == "n\tdemo\tunlisted\n")

        // Wrong commands.
        for (arguments, status, text) in [
            (["register", "demo", "eddystone:1:2"], 64, "20 hexadecimal digits"),
            (["register", "none", beacon], 1, "no project 'none'"),
            (["attach", beacon], 64, "Give one of --text and --file"),
            (["attach", beacon, "--file", "/nowhere/data"], 66, "cannot read '/nowhere/data'"),
            (["attach", beacon, "--file", "/dev/zero"], 1, "at most 1024"),
            (["attach", beacon, "--text", "x", "--namespace", "none"], 1, "no such namespace"),
            (["attach", beacon.replacing("ff", with: "fe"), "--text", "x"], 1, "'earshotd beacon register'"),
            (["detach", "none"], 1, "no such attachment"),
        ] as [([String], Int32, String)] {
            let refused = try daemon.run(["beacon"] + arguments)
            #expect(refused.status == status && refused.error.contains(text), "\(arguments): \(refused.error)")
        }
        #expect(try daemon.run("namespace", "remove", "n").error.contains("Detach them first"))

        #expect(try daemon.run("beacon", "detach", id).output == "attachment \(id) is removed\n")
        #expect(try daemon.run("beacon", "remove", beacon).output == "beacon \(beacon) is removed\n")
        #expect(try daemon.run("namespace", "remove", "n").output == "namespace n is removed\n")
        #expect(try daemon.run("beacon", "list").output.isEmpty)
        let owner = try daemon.run("key", "create", "demo", "--owner")
        #expect(owner.output.wholeMatch(of: /earshot-owner-[0-9a-f]{40}\n/) != nil)
        #expect(owner.error.contains("Owner's key 1"))
        #expect(try daemon.run("key", "list").output.hasSuffix("\towner\n"))
    }

    @Test func browserKeys() throws {
        let daemon = try Daemon()
        _ = try daemon.run("project", "create", "demo")
        let key = try daemon.run(
            "key", "create", "demo", "--browser", "--origin", "https://Example.org:443", "--origin",
            "http://localhost:8000",
            "--name", "pages")
        #expect(key.output.wholeMatch(of: /earshot-browser-[0-9a-f]{40}\n/) != nil)
        #expect(key.error.contains("this service's own pages, https://example.org, http://localhost:8000."))
        #expect(try daemon.run("key", "create", "demo", "--browser").status == 0)
        _ = try daemon.run("key", "create", "demo", "--owner")
        _ = try daemon.run("key", "create", "demo")
        _ = try daemon.run("key", "revoke", "2")
        let lines = try daemon.run("key", "list").output.split(separator: "\n")
        #expect(lines.count == 4 && lines[0].hasSuffix("\tbrowser https://example.org http://localhost:8000"))
        #expect(lines[1].contains("\tbrowser\trevoked 20") && lines[2].hasSuffix("\towner"))
        let entries = try daemon.run("key", "list", "--json").output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(entries.map { $0["kind"] as? String } == ["browser", "browser", "owner", "app"])
        #expect(entries.map { $0["id"] as? Int } == [1, 2, 3, 4])
        #expect(entries[0]["origins"] as? [String] == ["https://example.org", "http://localhost:8000"])
        #expect(entries[1]["origins"] as? [String] == [] && entries[1]["revoked"] is String)
        #expect(entries[3]["origins"] == nil && entries[3]["revoked"] == nil)
        for (arguments, text) in [
            (["--browser", "--owner"], "exclude each other"), (["--origin", "https://example.org"], "--browser"),
            (["--browser", "--origin", "https://example.org/page"], "has a path"),
            (["--browser", "--origin", "*"], "begins with neither"),
            (["--browser"] + (0..<51).flatMap { ["--origin", "https://\($0).example"] }, "at most 50"),
        ] {
            let refused = try daemon.run(["key", "create", "demo"] + arguments)
            #expect(refused.status == 64 && refused.error.contains(text), "\(arguments): \(refused.error)")
        }
        #expect(try daemon.run("key", "list").output.split(separator: "\n").count == 4)
    }

    /// One program serves the page and the API, as a browser requests them.
    @Test func servesAPage() async throws {
        let daemon = try Daemon()
        let folder = daemon.file("page")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(try daemon.run("serve", "--port", "0", "--web", folder.path).error.contains("no index.html"))
        try Data("<!doctype html>".utf8).write(to: folder.appendingPathComponent("index.html"))
        try Data("x".utf8).write(to: folder.appendingPathComponent(".hidden"))
        _ = try daemon.run("project", "create", "ours", "--open")
        let key = try daemon.run("key", "create", "ours", "--browser").output.trimmingCharacters(in: .newlines)
        #expect(try daemon.run("serve", "--proxy", "localhost").status == 64)
        try await daemon.serve(
            "--web", folder.path, "--proxy", "127.0.0.1", "--address-session-rate", "0.002", "--log-level", "debug")
        #expect(daemon.log.contains("/.hidden"))
        let port = try #require(URL(string: daemon.base)?.port)
        func say(_ head: String) async throws -> String {
            try await RawConnection.say("\(head)\r\nHost: x\r\nConnection: close\r\n\r\n", to: port)
        }
        let page = try await say("GET / HTTP/1.1")
        #expect(page.hasPrefix("HTTP/1.1 200 ") && page.hasSuffix("\r\n\r\n<!doctype html>"))
        let head = try await say("HEAD / HTTP/1.1")
        #expect(head.hasPrefix("HTTP/1.1 200 ") && head.hasSuffix("\r\n\r\n"))
        #expect(head.lowercased().contains("content-length: 15\r\n"))
        let tag = try #require(page.split(separator: "\r\n").first { $0.lowercased().hasPrefix("etag: ") }).dropFirst(6)
        let known = try await say("GET / HTTP/1.1\r\nIf-None-Match: \(tag)")
        #expect(known.hasPrefix("HTTP/1.1 304 ") && known.hasSuffix("\r\n\r\n"))
        for path in [
            "/../page/index.html", "//", "/.hidden", "/%2e%2e/earshotd.sqlite", "/\u{0}", "http://x/.hidden", "*",
        ] {
            #expect(try await !say("GET \(path) HTTP/1.1").hasPrefix("HTTP/1.1 200 "), "\(path)")
        }
        // Two requests on one connection: the first's empty body does not disturb the second.
        let both = try await RawConnection.say(
            "HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", to: port)
        #expect(both.contains("\r\n\r\nHTTP/1.1 200 ") && both.hasSuffix("{\"status\":\"ok\"}"))
        for (path, status) in [("/v1/events", "405"), ("/v1/nothing", "404")] {
            let refused = try await RawConnection.say(
                "HEAD \(path) HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                to: port)
            #expect(refused.hasPrefix("HTTP/1.1 \(status) ") && refused.contains("\r\n\r\nHTTP/1.1 200 "), "\(refused)")
            #expect(!refused.contains("\"code\""))
        }

        // The limit of a visitor is that of its own address, which the proxy names.
        func open(_ address: String) async throws -> Substring {
            try await say(
                "POST /v1/devices HTTP/1.1\r\nContent-Length: 0\r\nSec-Fetch-Site: same-origin\r\nOrigin: http://x\r\n"
                    + "Authorization: Bearer \(key)\r\nX-Forwarded-For: 192.0.2.9, \(address)"
            ).dropFirst("HTTP/1.1 ".count).prefix(3)
        }
        #expect(try await open("192.0.2.1") == "201")
        #expect(try await open("192.0.2.1") == "429")
        #expect(try await open("192.0.2.2") == "201")
        #expect(try await open("2001:db8::1") == "201")
        #expect(try await open("2001:db8::2") == "429")
        #expect(!daemon.log.contains("192.0.2.") && !daemon.log.contains(key))
        #expect(daemon.end(SIGTERM) == 0)
        // Without a proxy, any client can write the header, so it does not count.
        try await daemon.serve("--web", folder.path, "--address-session-rate", "0.002")
        let other = try #require(URL(string: daemon.base)?.port)
        func openDirectly(_ address: String) async throws -> String {
            try await RawConnection.say(
                "POST /v1/devices HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\nSec-Fetch-Site: same-origin\r\n"
                    + "Authorization: Bearer \(key)\r\nX-Forwarded-For: \(address)\r\n\r\n", to: other)
        }
        #expect(try await openDirectly("192.0.2.1").hasPrefix("HTTP/1.1 201 "))
        #expect(try await openDirectly("192.0.2.2").hasPrefix("HTTP/1.1 429 "))
    }

    /// A key that another process revokes is refused by the running service.
    @Test func revokedWhileServing() async throws {
        let daemon = try Daemon()
        try await daemon.serve()
        let key = try daemon.key()
        let opened = try await daemon.send("POST", "/v1/devices", bearer: key)
        #expect(opened.status == 201)
        let secret = try #require(opened.json["session"] as? String)
        #expect(try await daemon.send("GET", "/v1/device", bearer: secret).status == 200)
        _ = try daemon.run("key", "revoke", "1")
        #expect(try await daemon.send("GET", "/v1/device", bearer: secret).status == 401)
        #expect(try await daemon.send("POST", "/v1/devices", bearer: key).status == 401)
    }

    /// Two services would not see each other's changes.
    @Test func aSecondServiceIsRefused() async throws {
        let daemon = try Daemon()
        try await daemon.serve()
        let second = try daemon.run("serve", "--port", "0")
        #expect(second.status == 75)
        #expect(second.output.isEmpty)
        #expect(
            second.error == "Error: cannot serve the database '\(daemon.database)': Another earshotd (process "
                + "\(daemon.processIdentifier)) serves this database already, and only one may. Stop it, or name another "
                + "database.\n")
        // The first service continues to work, and so do the operator's commands.
        #expect(try await daemon.send("GET", "/healthz", bearer: "").status == 200)
        #expect(try daemon.run("project", "create", "beside").status == 0)
        // The lock ends with its process, even if that is killed.
        #expect(daemon.end(SIGKILL) == -SIGKILL)
        try await daemon.serve()
        #expect(daemon.end(SIGTERM) == 0)
        try await daemon.serve()
        #expect(daemon.end(SIGTERM) == 0)
        // Only the owner may read it, like the database.
        let mode =
            try FileManager.default.attributesOfItem(atPath: daemon.database + ".lock")[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func stopsInOrder() async throws {
        let daemon = try Daemon()
        let key = try daemon.key()
        try await daemon.serve("--log-level", "trace")
        let opened = try await daemon.send("POST", "/v1/devices", bearer: key)
        let secret = try #require(opened.json["session"] as? String)
        let content = Data("an obvious payload".utf8).base64EncodedString()
        let publication = try await daemon.send("POST", "/v1/publications", bearer: secret, ["content": content])
        let token = try #require((publication.json["token"] as? [String: Any])?["token"] as? String)
        var reader = try await EventReader(daemon.base, bearer: secret)
        #expect(try await reader.next()?.name == "ready")
        #expect(daemon.end(SIGTERM) == 0)
        #expect(try await reader.next() == nil)
        // The log is empty: the database itself contains everything.
        #expect(try Data(contentsOf: daemon.file("earshotd.sqlite-wal")).isEmpty)
        #expect(daemon.log.contains("/v1/publications"))
        for secret in [key, secret, content, token] { #expect(!daemon.log.contains(secret)) }
    }

    /// Even with many silent connections, the database can open its files.
    @Test func doesNotRunOutOfFiles() async throws {
        let daemon = try Daemon()
        try await daemon.serve("--connections-per-address", "1000", files: 256)
        #expect(daemon.log.contains("fewer connections than configured"))
        let port = try #require(URL(string: daemon.base)?.port)
        var channels: [any Channel] = []
        for _ in 0..<400 {
            let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            channels.append(try await bootstrap.connect(host: "127.0.0.1", port: port).get())
        }
        // 256 - 192 connections are accepted, and 64 more are rejected with an answer; the kernel queues the rest.
        try await eventually { daemon.openFiles >= 128 }
        // Gives a faulty service time to accept more.
        try await Task.sleep(for: .milliseconds(500))
        #expect(daemon.openFiles < 200)
        // The service closes silent connections after 10 s, which may have passed.
        for channel in channels { channel.close(promise: nil) }
        try await eventually { (try? await daemon.send("GET", "/healthz", bearer: ""))?.status == 200 }
        #expect(daemon.end(SIGTERM) == 0)
    }

    @Test func statesWhyItCannotStart() async throws {
        let daemon = try Daemon()
        try Data("this is no database, but long enough to be looked at".utf8).write(to: daemon.file("x.sqlite"))
        try FileManager.default.copyItem(atPath: daemon.file("x.sqlite").path, toPath: daemon.database)
        let result = try daemon.run("serve", "--port", "0")
        #expect(result.status == 1)
        #expect(result.error.contains("Error: cannot serve on 127.0.0.1:0 with the database"))
        #expect(result.error.contains("is not a SQLite database"))
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
    func namesTheFileOfTLSThatIsWrong() throws {
        let (daemon, other) = (try Daemon(), try Daemon())
        for each in [daemon, other] {
            try each.makeCertificate(key: ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])
        }
        let (certificate, key) = (daemon.file("cert.pem").path, daemon.file("key.pem").path)
        for (certificate, key, reason) in [
            ("/nowhere", key, "Cannot read the certificate '/nowhere' (--tls-certificate): No such file or directory."),
            (certificate, "/nowhere", "Cannot read the private key '/nowhere' (--tls-key): No such file or directory."),
            (key, key, "The certificate '\(key)' (--tls-certificate) is no certificate in PEM form."),
            (certificate, certificate, "The private key '\(certificate)' (--tls-key) is no key in PEM form"),
            (certificate, other.file("key.pem").path, "(--tls-key) is not that of the certificate '\(certificate)'"),
        ] {
            let refused = try daemon.run("serve", "--port", "0", "--tls-certificate", certificate, "--tls-key", key)
            #expect(refused.status == 1 && refused.error.contains(reason), "\(refused.error)")
        }
    }

    @Test(arguments: [
        ("serv", "earshotd has no command 'serv'. Did you mean 'serve'? 'earshotd --help'"),
        (
            "project creat demo",
            "earshotd project has no command 'creat'. Did you mean 'create'? 'earshotd project --help'"
        ),
        ("help nosuch", "earshotd has no command 'nosuch'."),
        ("key destroy 1", "earshotd key has no command 'destroy'. 'earshotd key --help'"),
    ])
    func aMistypedCommandHasASuggestion(_ command: String, _ reason: String) throws {
        let refused = try Daemon().run(command.split(separator: " ").map(String.init))
        #expect(refused.status == 64 && refused.error.contains(reason), "\(refused.error)")
    }

    /// systemd names the folder of `StateDirectory=`; a configuration or the command line may name another database.
    @Test func theDatabaseIsInTheStateFolder() throws {
        let (daemon, other) = (try Daemon(), try Daemon())
        let script = """
            export STATE_DIRECTORY=$1:/nowhere
            "$0" project create here && "$0" project create there --database "$2"
            echo "database $2" >"$1/configuration"
            "$0" project list && "$0" project list --configuration "$1/configuration"
            ls "$1" | grep 'sqlite$'
            """
        let text = try Daemon.shell(script, daemon.directory.path, other.database)
        let lines = text.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
        #expect(lines == ["project here", "project there", "here", "there", "earshotd.sqlite"])
    }

    @Test func namesThePortThatIsInUse() async throws {
        let (daemon, second) = (try Daemon(), try Daemon())
        try await daemon.serve()
        let port = try #require(URL(string: daemon.base)?.port)
        let refused = try second.run("serve", "--port", "\(port)", "--no-operations")
        let reason =
            "the listener for clients cannot use 127.0.0.1:\(port) (--host, --port): Address already in use. Another program"
        #expect(refused.status == 1 && refused.error.contains(reason), "\(refused.error)")
        #expect(!refused.error.contains("HummingbirdCore"), "\(refused.error)")
    }

    @Test(arguments: ["key list", "device list", "publication list"])
    func anUnknownProjectIsNotAnEmptyOne(command: String) throws {
        let daemon = try Daemon()
        _ = try daemon.run("project", "create", "demo")
        let words = command.split(separator: " ").map(String.init)
        let refused = try daemon.run(words + ["--project", "nosuch"])
        #expect(refused.status == 1 && refused.error.contains("There is no project 'nosuch'"), "\(refused)")
    }

    @Test func namesTheHostThatIsNotThere() throws {
        for (host, reason) in [
            ("192.0.2.1", "(--host, --port): Cannot assign requested address. This machine has no such address."),
            ("nohost.invalid", "(--host, --port): There is no host 'nohost.invalid'."),
        ] {
            let refused = try Daemon().run("serve", "--host", host, "--port", "0", "--no-operations")
            #expect(refused.status == 1 && refused.error.contains(reason), "\(refused.error)")
        }
    }

    @Test func anIPv6AddressHasBrackets() {
        #expect(HostAndPort.text("::1", 8_787) == "[::1]:8787")
        #expect(HostAndPort.text("127.0.0.1", 8_787) == "127.0.0.1:8787")
    }

    @Test(arguments: [
        ("mysql://x", "earshotd knows no databases at 'mysql://…'"),
        ("postgres:/x", "An address of PostgreSQL begins with postgres://."),
    ])
    func anotherKindOfDatabaseIsRefused(address: String, reason: String) throws {
        let refused = try Daemon().runAlone("project", "list", "--database", address)
        #expect(refused.status == 1 && refused.error.contains(reason), "\(refused.error)")
    }

    /// A backup of a database that does not exist would be one of nothing.
    @Test(arguments: [
        "backup copy", "check", "project list", "key create demo", "key list", "beacon list", "device list",
    ])
    func noOtherCommandCreatesADatabase(_ command: String) throws {
        let daemon = try Daemon()
        let words = command.replacing("copy", with: daemon.file("copy").path).split(separator: " ").map(String.init)
        let refused = try daemon.run(words)
        #expect(
            refused.error
                == "Error: database '\(daemon.database)': There is no such file. Name the service's database with "
                + "--database or --configuration.\n")
        #expect(refused.status == 1 && refused.output.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: daemon.database))
    }

    /// Serves with a certificate of its own.
    /// - Parameter key: the options of openssl for its key.
    private func serveTLS(_ daemon: Daemon, key: [String]) async throws {
        try daemon.makeCertificate(key: key)
        try await daemon.serve(
            "--tls-certificate", daemon.file("cert.pem").path, "--tls-key", daemon.file("key.pem").path)
    }

    /// Whether the daemon answers a client with this configuration of TLS.
    private func answers(_ daemon: Daemon, _ change: (inout TLSConfiguration) -> Void) async throws -> Bool {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        change(&tls)
        var configuration = HTTPClient.Configuration()
        configuration.tlsConfiguration = tls
        let client = HTTPClient(configuration: configuration)
        let answer = try? await daemon.send("GET", "/healthz", bearer: "", client: client)
        try await client.shutdown()
        return answer?.status == 200
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
    func servesTLS() async throws {
        let daemon = try Daemon()
        try await serveTLS(daemon, key: ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])
        #expect(daemon.base.hasPrefix("https://"))
        // A client that does not use TLS.
        let port = try #require(URL(string: daemon.base)?.port)
        #expect(try await !RawConnection.say("GET /healthz HTTP/1.1\r\n\r\n", to: port).contains("HTTP"))
        #expect(try await answers(daemon) { _ in })
        for (version, isAccepted) in [
            (TLSVersion.tlsv1, false), (.tlsv11, false), (.tlsv12, true), (.tlsv13, true),
        ] {
            let isAnswered = try await answers(daemon) {
                $0.minimumTLSVersion = version
                $0.maximumTLSVersion = version
            }
            #expect(isAnswered == isAccepted, "\(version)")
        }
        #expect(daemon.end(SIGTERM) == 0)
    }

    /// With the RSA key exchange, an attacker who steals the server's key can read all traffic recorded before.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
    func keysOfTLSAreEphemeral() async throws {
        let daemon = try Daemon()
        try await serveTLS(daemon, key: ["rsa:2048"])
        for (suite, isAccepted) in [
            (NIOTLSCipher.TLS_RSA_WITH_AES_128_GCM_SHA256, false), (.TLS_RSA_WITH_AES_256_CBC_SHA, false),
            (.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, false), (.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, true),
            (.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, true),
        ] {
            let isAnswered = try await answers(daemon) {
                $0.maximumTLSVersion = .tlsv12
                $0.cipherSuiteValues = [suite]
            }
            #expect(isAnswered == isAccepted, "\(suite)")
        }
        #expect(daemon.end(SIGTERM) == 0)
    }

    /// Without TLS, anyone on the network path can read keys and messages.
    @Test func warnsOfAServiceForOthersWithoutTLS() async throws {
        for (host, isWarned) in [("127.0.0.1", false), ("0.0.0.0", true)] {
            let daemon = try Daemon()
            try await daemon.serve("--host", host)
            #expect(daemon.end(SIGTERM) == 0)
            #expect(daemon.log.contains("without TLS") == isWarned, "\(host): \(daemon.log)")
        }
    }
}
