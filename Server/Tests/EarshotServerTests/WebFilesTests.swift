import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing

@testable import EarshotServer

/// The files of `earshotd serve --web`.
@Suite struct WebFilesTests {
    private static let page = "<!doctype html><title>page</title>"

    private func test(
        _ folder: URL, _ world: World, _ body: @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        let web = try WebFolder(folder.path)
        world.service.settings.change { $0.web = web }
        try await EarshotServer.application(world.service, logger: silent).test(.router) { client in
            try await body(client)
        }
    }

    @Test func filesWithTheirTypes() async throws {
        let world = try World()
        let types = [
            "index.html": "text/html; charset=utf-8", "demo.js": "text/javascript; charset=utf-8",
            "demo.css": "text/css; charset=utf-8", "earshot.wasm": "application/wasm", "x.json": "application/json",
            "icon.svg": "image/svg+xml", "icon.png": "image/png", "x.webmanifest": "application/manifest+json",
            "icon.ico": "image/x-icon",
            "earshot.d.ts": "text/plain; charset=utf-8", "data": "application/octet-stream",
            "sub/module.mjs": "text/javascript; charset=utf-8", "ÄÖ 1.txt": "text/plain; charset=utf-8",
        ]
        let folder = try world.webFolder(types.reduce(into: [:]) { $0[$1.key] = "content of \($1.key)" })
        try await test(folder, world) { client in
            let visitor = Caller(client, bearer: nil)
            for (name, type) in types {
                let path = "/" + (name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name)
                let answer = try await visitor.send(.get, path)
                #expect(answer.status == .ok && answer.text == "content of \(name)", "\(path)")
                #expect(answer.headers[.contentType] == type, "\(path)")
                #expect(answer.headers[.contentLength] == "\(answer.text.utf8.count)", "\(path)")
                #expect(answer.headers[.xContentTypeOptions] == "nosniff", "\(path)")
                #expect(answer.headers[.cacheControl] == "no-cache", "\(path)")
                // A HEAD has the same headers, and no body.
                let head = try await visitor.send(.head, path)
                #expect(head.status == .ok && head.text.isEmpty, "\(path)")
                for name in [HTTPField.Name.contentType, .contentLength, .eTag] {
                    #expect(head.headers[name] == answer.headers[name], "\(path): \(name)")
                }
                let wrong = try await visitor.send(.post, path)
                #expect(wrong.status == .methodNotAllowed && wrong.headers[.allow] == "GET, HEAD", "\(path)")
            }
            #expect(try await visitor.send(.get, "/").text == "content of index.html")
            #expect(try await visitor.send(.get, "/?q=/../x#y").text == "content of index.html")
            #expect(try await visitor.send(.get, "/%64emo.js").text == "content of demo.js")
        }
    }

    /// The page may load from and connect to this service only, and only the page may use the microphone.
    @Test func whatThePageMayDo() async throws {
        let world = try World()
        try await test(try world.webFolder(["index.html": Self.page]), world) { client in
            let headers = try await Caller(client, bearer: nil).send(.get, "/").headers
            #expect(
                headers[.contentSecurityPolicy]
                    == "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; "
                    + "worker-src 'self'; manifest-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
                    + "frame-ancestors 'none'"
            )
            #expect(headers[.known("Referrer-Policy")] == "no-referrer")
            #expect(headers[.known("Permissions-Policy")] == "microphone=(self)")
        }
    }

    @Test func aBrowserThatHasItAlready() async throws {
        let world = try World()
        let folder = try world.webFolder(["index.html": Self.page, "a.js": "1", "b.js": "1", "c.js": "2"])
        try await test(folder, world) { client in
            let visitor = Caller(client, bearer: nil)
            func tag(_ path: String) async throws -> String {
                try #require(try await visitor.send(.get, path).headers[.eTag])
            }
            let (a, c) = (try await tag("/a.js"), try await tag("/c.js"))
            #expect(try await tag("/b.js") == a && a != c)
            for known in [a, "W/\(a)", "\"x\", \(a)", "*"] {
                for method in [HTTPRequest.Method.get, .head] {
                    let answer = try await Caller(client, bearer: nil, [.ifNoneMatch: known]).send(method, "/a.js")
                    #expect(answer.status == .notModified && answer.text.isEmpty, "\(known)")
                    #expect(answer.headers[.eTag] == a && answer.headers[.cacheControl] == "no-cache", "\(known)")
                }
            }
            for known in [c, "x", ""] {
                let answer = try await Caller(client, bearer: nil, [.ifNoneMatch: known]).send(.get, "/a.js")
                #expect(answer.status == .ok && answer.text == "1", "\(known)")
            }
        }
    }

    /// No path leads out of the folder, nor to a hidden file.
    @Test func nothingElse() async throws {
        let world = try World()
        try Data("secret".utf8).write(to: world.directory.appendingPathComponent("secret"))
        let folder = try world.webFolder([
            "index.html": Self.page, "sub/page.html": Self.page, ".hidden": "secret", ".git/config": "secret",
            "sub/.hidden": "secret",
        ])
        let manager = FileManager.default
        func link(_ name: String, _ target: String) throws {
            try manager.createSymbolicLink(
                atPath: folder.appendingPathComponent(name).path, withDestinationPath: target)
        }
        for (name, target) in [
            ("outward", "../secret"), ("absolute", "/etc/passwd"), ("folder", ".."), ("loop", "loop"),
            ("gone", "nothing"),
            ("inward.html", "sub/page.html"), ("inner", "sub"),
        ] {
            try link(name, target)
        }
        mkfifo(folder.appendingPathComponent("pipe").path, 0o600)
        // A neighbouring folder whose name begins like this folder's.
        let neighbour = folder.path + "-neighbour"
        try Data("secret".utf8).write(to: URL(fileURLWithPath: neighbour))
        try link("neighbour", neighbour)
        try await test(folder, world) { client in
            let visitor = Caller(client, bearer: nil)
            #expect(try await visitor.send(.get, "/inward.html").text == Self.page)
            for path in [
                "/.hidden", "/.git/config", "/sub/.hidden", "/outward", "/absolute", "/folder/secret", "/loop", "/gone",
                "/inner/page.html", "/pipe", "/neighbour", "/../secret", "/%2e%2e/secret", "/sub/../../secret",
                "/sub/%2E%2E/%2e%2e/secret", "/..%2fsecret", "/%252e%252e/secret", "/..%5csecret", "//index.html",
                "/./index.html", "/sub/../index.html", "/sub//page.html", "/index.html/", "/index.html%00", "/%00",
                "/index.html%00.js", "/%", "/%2", "/%zz", "/%ff", "/sub", "/INDEX.HTML", "/index", "/nothing",
                "/etc/passwd", "/\(neighbour)",
            ] {
                let answer = try await visitor.send(.get, path)
                #expect(answer.status == .notFound && answer.code == "no_such_path", "\(path): \(answer.text)")
            }
        }
        #expect(
            try WebFolder(folder.path).leftOut == [
                "/.git", "/.hidden", "/absolute", "/folder", "/gone", "/inner", "/loop", "/neighbour", "/outward",
                "/pipe",
                "/sub/.hidden",
            ])
    }

    /// The API keeps its paths, and files cannot replace them.
    @Test func besideTheAPI() async throws {
        let world = try World()
        let key = try await world.key()
        let folder = try world.webFolder([
            "index.html": Self.page, "v1/devices": "file", "v1/openapi.json": "file", "healthz": "file",
            "sub/v1/devices": "file",
        ])
        try await test(folder, world) { client in
            let visitor = Caller(client, bearer: nil)
            #expect(try await visitor.send(.get, "/healthz")["status"] as? String == "ok")
            #expect(try await visitor.send(.get, "/v1/openapi.json")["openapi"] as? String == "3.1.0")
            #expect(try await visitor.send(.get, "/v1/devices").code == "method_not_allowed")
            #expect(try await visitor.send(.get, "/%76%31/devices").status == .notFound)
            #expect(try await visitor.send(.get, "/sub/v1/devices").text == "file")
            let caller = try await Caller(client, key: key)
            #expect(try await caller.send(.get, "/v1/device").status == .ok)
            _ = try await visitor.send(.get, "/")
            let metrics = try await world.service.metricsText()
            #expect(metrics.contains("earshot_requests_total{method=\"GET\",path=\"web\",status=\"200\"} 2"))
        }
    }

    @Test func whatIsNoPage() throws {
        let world = try World()
        for (folder, text) in [
            (URL(fileURLWithPath: "/nowhere/page"), "No such file"),
            (try world.webFolder(["x.html": ""]), "no index.html"),
            (try world.webFolder(["sub/index.html": ""]), "no index.html"),
            (
                try world.webFolder(["index.html": Self.page]).appendingPathComponent("index.html"),
                "is no folder. Give the folder"
            ),
        ] {
            #expect(
                performing: {
                    try WebFolder(folder.path)
                }, throws: { ($0 as? WebFolderError)?.description.contains(text) == true })
        }
        var files = ["index.html": Self.page]
        for index in 0..<WebFolder.maximumFileCount { files["\(index)"] = "" }
        let many = try world.webFolder(files)
        #expect(throws: WebFolderError.self) { try WebFolder(many.path) }
        let large = try world.webFolder(["index.html": Self.page])
        let handle = try FileHandle(
            forWritingTo: large.appendingPathComponent("index.html"))
        try handle.truncate(atOffset: UInt64(WebFolder.maximumByteCount) + 1)
        try handle.close()
        #expect(throws: WebFolderError.self) { try WebFolder(large.path) }
        let deep = try world.webFolder(["index.html": Self.page, "1/2/3/4/5/6/7/8/9/x": ""])
        #expect(throws: WebFolderError.self) { try WebFolder(deep.path) }
    }
}
