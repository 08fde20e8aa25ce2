import EarshotMessages
import EarshotSystem
import Foundation
import MessagesTestSupport
import NearbyWire
import TestSupport
import Testing

@testable import EarshotAgent

@Suite(.apart) struct StateStoreTests {
    private static func state(_ app: String, count: Int = 1) -> AppState {
        var state = AppState(app: app)
        for ordinal in 1...count {
            let order = BackgroundOperation(key: "key", service: "http://127.0.0.1:1", ordinal: ordinal)
            state.operations.append(AppState.Operation(order: order, since: 1))
        }
        return state
    }

    @Test func whatIsSavedIsLoaded() throws {
        let folder = try ScratchFolder()
        let store = try StateStore(folder: "\(folder.path)/a/b") { _ in }
        var state = Self.state("org.example.app", count: 3)
        let received = ReceivedMessage(message: Message("hello"), isAuthenticated: true, id: "1")
        state.operations[1].wait(.found(AgentMessage(received)))
        state.operations[2].seen = ["1", "2"]
        state.sessions = [AppState.Session(key: "key", service: "s", secret: "secret", idempotencyKeys: ["a": "b"])]
        state.starts = AppState.Starts(last: 3, failureCount: 2)
        try store.save(state)
        #expect(try store.load() == [state])
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(store.folder.path)/org.example.app.json")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: ["../../etc/passwd", "a/b", ".hidden", "..", "ä b", "a%2Fb", "A.b-c_d"])
    func everyIdentifierHasAFileOfItsOwnInTheFolder(app: String) throws {
        let folder = try ScratchFolder()
        let store = try StateStore(folder: folder.path) { _ in }
        try store.save(Self.state(app))
        try store.save(Self.state("other"))
        #expect(try store.load().map(\.app).sorted() == [app, "other"].sorted())
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
        try store.forget(app: app)
        #expect(try store.load().map(\.app) == ["other"])
    }

    @Test func anAppWithoutOperationsLeavesNoFile() throws {
        let folder = try ScratchFolder()
        let store = try StateStore(folder: folder.path) { _ in }
        try store.save(Self.state("app"))
        try store.save(AppState(app: "app"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func anUnreadableFileIsPutAsideAndAnInterruptedWriteIsRemoved() throws {
        let folder = try ScratchFolder()
        let lines = Lines()
        let store = try StateStore(folder: folder.path) { lines.add($0) }
        try store.save(Self.state("good"))
        try folder.write("{", to: "broken.json")
        try folder.write("half", to: ".new-1-2")
        try folder.write(#"{"version":2,"app":"newer","operations":[],"sessions":[],"starts":{}}"#, to: "newer.json")
        #expect(try store.load().map(\.app) == ["good"])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["broken.json.unreadable", "good.json", "newer.json.unreadable"])
        #expect(lines.all.count == 2)
    }

    /// An agent that started without its states would forget operations that it has confirmed.
    @Test func statesThatTheSystemDoesNotHandOutAreAnError() throws {
        let folder = try ScratchFolder()
        let store = try StateStore(folder: "\(folder.path)/state") { _ in }
        // A link to itself cannot be listed.
        rmdir(store.folder.path)
        symlink(store.folder.path, store.folder.path)
        #expect { try store.load() } throws: { "\($0)".hasPrefix("Cannot list \(store.folder.path): ") }
    }

    @Test func aFolderThatCannotBeWrittenIsAnError() throws {
        let folder = try ScratchFolder()
        try folder.write("", to: "file")
        #expect(throws: PrivateFolder.Failure.self) { try StateStore(folder: "\(folder.path)/file/state") { _ in } }
    }

    @Test func waitingEventsAreBounded() {
        var operation = Self.state("app").operations[0]
        for number in 1...200 {
            operation.wait(
                .found(AgentMessage(ReceivedMessage(message: Message("x"), isAuthenticated: true, id: "\(number)"))))
        }
        #expect(operation.waiting.count == AppState.maximumWaitingCount)
        #expect(operation.waiting.last?.message?.id == "200")
        let large = Message(content: Data(count: Message.maximumContentCount))
        for number in 1...50 {
            operation.wait(
                .found(AgentMessage(ReceivedMessage(message: large, isAuthenticated: true, id: "\(number)"))))
        }
        let sum = operation.waiting.reduce(0) { $0 + ($1.message?.content.count ?? 0) }
        #expect(sum <= AppState.maximumWaitingByteCount && operation.waiting.last?.message?.id == "50")
    }
}
