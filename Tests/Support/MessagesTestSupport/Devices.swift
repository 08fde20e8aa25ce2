import EarshotBasics
import EarshotDiscovery
package import EarshotMessages
import Foundation
import Synchronization

/// Waits until a condition holds, for longer than any machine needs.
package nonisolated(nonsending) func eventually(
    within limit: Duration = .seconds(30), _ condition: nonisolated(nonsending) () async -> Bool
) async -> Bool {
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return await condition()
}

/// Waits long enough for an unwanted event to happen.
package func aWhile() async {
    try? await Task.sleep(for: .milliseconds(400))
}

/// A device with a manager, in some air, with some service.
package struct Device {
    package let manager: MessageManager
    package let medium: AirMedium
    package let log: Lines

    package init(
        in air: Air, _ service: FakeService, key: String = "key", permission: any PermissionGate = AlwaysGranted(),
        _ change: (inout MessageManager.Configuration) -> Void = { _ in }
    ) {
        let medium = air.medium()
        let log = Lines()
        guard let nowhere = URL(string: "http://nowhere.invalid") else { preconditionFailure("a URL") }
        var configuration = MessageManager.Configuration(
            serviceURL: nowhere, applicationIdentifier: "test", media: { [medium] }, permission: permission,
            log: { log.add($0) })
        configuration.internals.service = { service.client(key: $0) }
        configuration.backOff.shortest = .milliseconds(20)
        configuration.backOff.longest = .milliseconds(100)
        configuration.internals.pace.reportDelay = .milliseconds(10)
        configuration.internals.pace.tokenTurn = .milliseconds(100)
        configuration.internals.pace.doubt = .seconds(6)
        change(&configuration)
        manager = MessageManager(key: key, configuration: configuration)
        self.medium = medium
        self.log = log
    }
}

/// Collects lines of a log.
package final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    package init() {}

    package var all: [String] { lines.withLock { $0 } }

    package func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Collects the elements of a stream as they come.
package final class Collected<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    private let isFinished = Atomic(false)
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter stream: read and kept until it ends, or until `stop`.
    package init<Source: AsyncSequence & Sendable>(_ stream: Source)
    where Source.Element == Element, Source.Failure == Never {
        task.withLock {
            $0 = Task {
                for await element in stream { elements.withLock { $0.append(element) } }
                isFinished.store(true, ordering: .releasing)
            }
        }
    }

    package var all: [Element] { elements.withLock { $0 } }
    package var isOver: Bool { isFinished.load(ordering: .acquiring) }

    package func stop() { task.withLock { $0 }?.cancel() }
}

extension Collected<MessageEvent> {
    package var found: [ReceivedMessage] {
        all.compactMap { if case .found(let message) = $0 { message } else { nil } }
    }
    package var lost: [ReceivedMessage] { all.compactMap { if case .lost(let message) = $0 { message } else { nil } } }
}

extension Collected<ManagerProblem> {
    /// The unsolved problems.
    package var current: [ManagerProblem.Kind] {
        all.reduce(into: []) { kinds, problem in
            kinds.removeAll { $0 == problem.kind }
            if !problem.isSolved { kinds.append(problem.kind) }
        }
    }
}

extension Message {
    package init(_ text: String, type: String = "", namespace: String = "") {
        self.init(content: Data(text.utf8), type: type, namespace: namespace)
    }

    package var text: String { String(decoding: content, as: UTF8.self) }
}
