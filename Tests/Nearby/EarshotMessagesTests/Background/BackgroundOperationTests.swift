import EarshotDiscovery
import EarshotMessages
import Foundation
import NearbyWire
import Testing

@Suite struct BackgroundOperationTests {
    private static func operation(_ change: (inout BackgroundOperation) -> Void = { _ in }) -> BackgroundOperation {
        var operation = BackgroundOperation(key: "key", service: "http://127.0.0.1:8787")
        change(&operation)
        return operation
    }

    @Test func theIdentifierFollowsFromTheContent() {
        let one = BackgroundOperation(key: "key", service: "http://a", content: Data("hello".utf8))
        #expect(one.id == BackgroundOperation(key: "key", service: "http://a", content: Data("hello".utf8)).id)
        // FNV-1a of these bytes. Another program may choose another hash; this one must not change.
        let others = [
            BackgroundOperation(key: "other", service: "http://a", content: Data("hello".utf8)),
            BackgroundOperation(key: "key", service: "http://b", content: Data("hello".utf8)),
            BackgroundOperation(key: "key", service: "http://a", content: Data("hallo".utf8)),
            BackgroundOperation(key: "key", service: "http://a", content: Data("hello".utf8), mode: .scan),
            BackgroundOperation(key: "key", service: "http://a", content: Data("hello".utf8), ordinal: 2),
            BackgroundOperation(key: "key", service: "http://a"),
            BackgroundOperation(
                key: "key", service: "http://a", mode: [],
                beacons: BackgroundOperation.Beacons(includesIBeacons: true, prefersLowPower: true)),
        ]
        #expect(Set(others.map(\.id) + [one.id]).count == others.count + 1)
        for operation in others + [one] { #expect(operation.flaw == nil, "\(operation.flaw ?? "")") }
    }

    @Test func everyLimitIsChecked() {
        let flawed: [BackgroundOperation] = [
            Self.operation { $0.id = "" }, Self.operation { $0.id = "a/b" },
            Self.operation { $0.id = String(repeating: "a", count: 65) }, Self.operation { $0.key = "" },
            Self.operation { $0.key = String(repeating: "a", count: 513) }, Self.operation { $0.service = "ftp://a" },
            Self.operation { $0.service = "http://" }, Self.operation { $0.mode = 4 }, Self.operation { $0.mode = -1 },
            Self.operation { $0.mode = 0 },
            Self.operation { $0.content = Data(count: Message.maximumContentCount + 1) },
            Self.operation { $0.type = String(repeating: "a", count: 33) },
            Self.operation { $0.namespace = String(repeating: "a", count: 65) },
            Self.operation { $0.endsAt = .infinity },
        ]
        for operation in flawed { #expect(operation.flaw != nil, "\(operation)") }
        #expect(Self.operation().flaw == nil)
    }
}
