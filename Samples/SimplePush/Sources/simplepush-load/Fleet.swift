import Foundation
import NIOPosix
import SimplePushKit
import Synchronization

/// All clients of the load.
final class Fleet: Sendable {
    /// Handshakes at the same time. The server allows 128 strangers from one address.
    private static let connectingCount = 48

    private let prefix: String
    private let links: [(notification: PushLink, control: PushLink)]
    private let meter: LatencyMeter

    private init(_ prefix: String, _ links: [(notification: PushLink, control: PushLink)], _ meter: LatencyMeter) {
        self.prefix = prefix
        self.links = links
        self.meter = meter
    }

    /// Connects and registers all clients.
    /// - Throws: `LinkFailure`
    static func connect(
        count: Int, prefix: String, to address: ServerAddress, security: PushSecurity,
        group: MultiThreadedEventLoopGroup, meter: LatencyMeter
    ) async throws -> Fleet {
        let links = try await withThrowingTaskGroup(of: (Int, PushLink, PushLink).self) { tasks in
            var next = 0
            func addTask() {
                guard next < count else { return }
                let number = next
                next += 1
                tasks.addTask {
                    let key = randomIdentifier(characterCount: 26)
                    let user = "\(prefix)-\(number)"
                    func open(_ channel: PushChannel) async throws -> PushLink {
                        try await PushLink.open(
                            to: address,
                            as: Registration(channel: channel, user: user, name: "Client \(number)", key: key),
                            security: security, on: group)
                    }
                    return (number, try await open(.notification), try await open(.control))
                }
            }
            for _ in 0..<connectingCount { addTask() }
            var links: [Int: (PushLink, PushLink)] = [:]
            while let (number, notification, control) = try await tasks.next() {
                links[number] = (notification, control)
                addTask()
            }
            return (0..<count).compactMap { number in
                links[number].map { (notification: $0.0, control: $0.1) }
            }
        }
        for pair in links {
            Task { await receive(pair.notification, meter) }
            Task { await watch(pair.control, meter) }
        }
        return Fleet(prefix, links, meter)
    }

    /// Receives texts as a provider does, but shows no notification.
    private static func receive(_ link: PushLink, _ meter: LatencyMeter) async {
        do {
            for try await frame in link.frames {
                guard case .text(let text) = frame else { continue }
                meter.arrived(text.id)
                try await link.send(.acknowledge(Acknowledgement(through: text.sequence)))
            }
        } catch {
            meter.lost(error)
        }
    }

    private static func watch(_ link: PushLink, _ meter: LatencyMeter) async {
        do {
            for try await frame in link.frames {
                if case .refusal(let refusal) = frame { meter.refused(refusal) }
            }
        } catch {
            meter.lost(error)
        }
    }

    /// Sends a text of 60 bytes from a random client to a random other.
    func sendText(number: Int) {
        let sender = Int.random(in: 0..<links.count)
        let recipient = (sender + Int.random(in: 1..<links.count)) % links.count
        let text = OutgoingText(
            id: "t\(number)", to: "\(prefix)-\(recipient)", text: String(repeating: "Dinner at eight? ", count: 4))
        let link = links[sender].control
        meter.sent(text.id)
        Task { try? await link.send(.text(text)) }
    }

    func close() {
        meter.end()
        for pair in links {
            pair.notification.close()
            pair.control.close()
        }
    }
}

/// Records the times at which texts were sent and received.
final class LatencyMeter: Sendable {
    private struct Content {
        var sentAt: [String: ContinuousClock.Instant] = [:]
        var arrived: Set<String> = []
        var latencies: [Double] = []
        var repeatedCount = 0
        var lostLinkCount = 0
        var refusedCount = 0
        var hasEnded = false
        var latestFailure = ""
    }

    private let content = Mutex(Content())

    func sent(_ id: String) { content.withLock { $0.sentAt[id] = .now } }

    func arrived(_ id: String) {
        let now = ContinuousClock.now
        content.withLock { content in
            guard content.arrived.insert(id).inserted, let sentAt = content.sentAt[id] else {
                content.repeatedCount += 1
                return
            }
            content.latencies.append((now - sentAt).inSeconds)
        }
    }

    func lost(_ error: any Error) {
        let isNews = content.withLock { content in
            guard !content.hasEnded else { return false }
            content.lostLinkCount += 1
            defer { content.latestFailure = "\(error)" }
            return content.latestFailure != "\(error)"
        }
        if isNews { print("lost a link: \(error)") }
    }

    func refused(_ refusal: Refusal) {
        content.withLock { $0.refusedCount += 1 }
    }

    func end() { content.withLock { $0.hasEnded = true } }

    var count: Int { content.withLock { $0.latencies.count } }
    /// In seconds.
    var sorted: [Double] { content.withLock { $0.latencies.sorted() } }
    var repeatedCount: Int { content.withLock { $0.repeatedCount } }
    var lostLinkCount: Int { content.withLock { $0.lostLinkCount } }
    var refusedCount: Int { content.withLock { $0.refusedCount } }
}
