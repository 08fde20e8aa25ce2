import Foundation
import Logging
import NIOCore
import SimplePushKit

/// The state of the server: users, links, messages and calls. It belongs to one event loop, so it needs no locks.
///
/// A client gets a confirmation only after the store has the change on the disk.
final class Hub {
    let options: ServerOptions
    let log: Logger
    let store: Store
    let loop: any EventLoop
    /// Lets closures of the store come back to this loop.
    private(set) var bound: NIOLoopBound<Hub>!

    var users: [String: UserRecord] = [:]
    var calls: [String: CallRecord] = [:]
    var totalWaitingByteCount = 0
    private var links: [Int: ServerLink] = [:]
    private var linkCount = 0
    private var unregistered: [String: Int] = [:]
    private var latestFailedHandshakeSeconds = -1.0e9
    private var expiryDueSeconds = 0.0
    private var isEnding = false
    /// The identifiers of all users, sorted; nil if a user was added since they were sorted.
    var sortedUsers: [String]?

    /// - Throws: `StoreFailure`
    init(_ options: ServerOptions, store: Store, log: Logger, loop: any EventLoop) throws {
        self.options = options
        self.store = store
        self.log = log
        self.loop = loop
        let kept = try store.load()
        bound = NIOLoopBound(self, eventLoop: loop)
        for user in kept.users { users[user.id] = UserRecord(user) }
        for (recipient, sum) in kept.sums {
            users[recipient]?.waiting = sum
            totalWaitingByteCount += sum.byteCount
        }
        for call in kept.calls { resume(call) }
        log.info(
            "loaded",
            metadata: ["users": "\(users.count)", "waiting": "\(kept.sums.values.reduce(0) { $0 + $1.count })"])
    }

    /// The time of a monotonic clock, in seconds.
    var nowSeconds: Double { Double(NIODeadline.now().uptimeNanoseconds) * 1e-9 }
    /// In seconds since 1970.
    var wallSeconds: Double { Date().timeIntervalSince1970 }

    // MARK: Links

    /// A connection that was accepted.
    /// - Returns: nil if there are too many.
    func open(remoteAddress: String) -> ServerLink? {
        guard !isEnding, links.count < options.limits.linkCount,
            unregistered[remoteAddress, default: 0] < options.limits.unregisteredCountPerAddress
        else { return nil }
        linkCount += 1
        let link = ServerLink(self, remoteAddress: remoteAddress, number: linkCount)
        links[link.number] = link
        unregistered[remoteAddress, default: 0] += 1
        return link
    }

    func close(_ link: ServerLink) {
        guard links.removeValue(forKey: link.number) != nil else { return }
        guard let user = link.user else { return noteRegistered(link) }
        if user.notification === link {
            user.notification = nil
            log.debug("left", metadata: ["user": "\(user.id)"])
        }
        user.controls.removeAll { $0 === link }
        if user.controls.isEmpty { considerAbsence(user) }
    }

    /// The link has registered: it no longer counts as a link without a user.
    private func noteRegistered(_ link: ServerLink) {
        guard let count = unregistered[link.remoteAddress] else { return }
        unregistered[link.remoteAddress] = count > 1 ? count - 1 : nil
    }

    func noteFailedHandshake(_ address: String) {
        // One line per second, so that strangers cannot fill the log.
        guard nowSeconds - latestFailedHandshakeSeconds >= 1 else { return }
        latestFailedHandshakeSeconds = nowSeconds
        log.notice("refused a client that does not have the secret", metadata: ["address": "\(address)"])
    }

    /// Called every second or more often.
    func tick() {
        let now = nowSeconds
        for link in links.values { link.tick(nowSeconds: now) }
        if now >= expiryDueSeconds {
            expiryDueSeconds = now + min(3_600, options.limits.waitingSeconds / 4)
            change(.expired(before: wallSeconds - options.limits.waitingSeconds)) { hub, outcome in
                if case .success(.removed(let sums)) = outcome { hub.forget(sums) }
            }
        }
    }

    /// Tells every client that the server ends.
    func end() {
        isEnding = true
        for link in links.values { link.refuse(.ending, "The server ends.") }
    }

    var isEmpty: Bool { links.isEmpty }

    // MARK: Frames

    func take(_ frame: ClientFrame, from link: ServerLink) {
        guard let user = link.user, let channel = link.channel else {
            guard case .register(let registration) = frame, !link.hasBegun else {
                return link.refuse(.malformed, "The first frame must be register.")
            }
            link.hasBegun = true
            return register(registration, link)
        }
        switch (frame, channel) {
        case (.heartbeat, _): break
        case (.acknowledge(let acknowledgement), .notification): acknowledge(acknowledgement, user, link)
        case (.directory(let request), .control): link.send(.directory(page(after: request.after)))
        case (.text(let text), .control): send(text, from: user, link)
        case (.invite(let invitation), .control): invite(invitation, from: user, link)
        case (.call(let request), .control): act(request, by: user, link)
        case (.register, _): link.refuse(.malformed, "The link is registered already.")
        default: link.refuse(.malformed, "This frame does not belong on the \(channel.rawValue) channel.")
        }
    }

    private func register(_ registration: Registration, _ link: ServerLink) {
        guard registration.version == WireFormat.version else {
            return link.refuse(
                .version,
                "This server speaks version \(WireFormat.version) of the format, not \(registration.version). Install "
                    + "the same release of the server and the program.")
        }
        if let user = users[registration.user] {
            guard user.key == registration.key else {
                return link.refuse(
                    .wrongKey,
                    "The name \(user.id) is taken: this server knows it with another key. Choose another name, or copy "
                        + "the settings of the program that had it first.")
            }
            if user.name != registration.name {
                user.name = registration.name
                change(.user(StoredUser(id: user.id, name: user.name, key: user.key))) { _, _ in }
            }
            return begin(link, user, registration.channel)
        }
        guard users.count < options.limits.userCount else {
            return link.refuse(.crowded, "This server has \(options.limits.userCount) users already.")
        }
        let stored = StoredUser(id: registration.user, name: registration.name, key: registration.key)
        let user = UserRecord(stored)
        users[user.id] = user
        sortedUsers = nil
        let number = link.number
        change(.user(stored)) { hub, outcome in
            let link = hub.links[number]
            switch outcome {
            case .success:
                if let link { hub.begin(link, user, registration.channel) }
            case .failure(let failure):
                hub.log.error("\(failure)")
                hub.users[user.id] = nil
                hub.sortedUsers = nil
                link?.refuse(.storage, "The server cannot write to its disk.")
            }
        }
    }

    private func begin(_ link: ServerLink, _ user: UserRecord, _ channel: PushChannel) {
        noteRegistered(link)
        link.user = user
        link.channel = channel
        let old: ServerLink?
        switch channel {
        case .notification:
            old = user.notification
            user.notification = link
            user.sentSequence = 0
            user.unacknowledged = []
        case .control:
            user.controls.append(link)
            old = user.controls.count > options.limits.controlLinkCount ? user.controls.removeFirst() : nil
        }
        old?.refuse(.replaced, "A newer link of \(user.id) takes the place of this one.")
        link.send(
            .registered(
                Registered(
                    heartbeatSeconds: options.limits.heartbeatSeconds, timeoutSeconds: options.limits.silenceSeconds)))
        switch channel {
        case .notification: pump(user)
        case .control: tellCalls(to: link, of: user)
        }
    }

    private func page(after identifier: String?) -> DirectoryPage {
        let sorted = sortedUsers ?? users.keys.sorted()
        sortedUsers = sorted
        var start = 0
        if let identifier {
            var end = sorted.count
            while start < end {
                let middle = (start + end) / 2
                if sorted[middle] <= identifier { start = middle + 1 } else { end = middle }
            }
        }
        let identifiers = sorted[start...].prefix(DirectoryPage.maximumUserCount)
        let page = identifiers.compactMap { users[$0] }
            .map { DirectoryPage.User(id: $0.id, name: $0.name, isHere: $0.isHere) }
        return DirectoryPage(users: page, hasMore: identifiers.endIndex < sorted.count)
    }

    // MARK: The store

    /// Writes a change, and continues with its outcome on this loop.
    func change(_ change: StoreChange, then: @escaping (Hub, Result<StoreOutcome, StoreFailure>) -> Void) {
        // The box guarantees that the closure runs on this loop; the store only passes it on.
        let then = NIOLoopBound(then, eventLoop: loop)
        store.write(change) { [loop, bound] outcome in
            loop.execute { then.value(bound!.value, outcome) }
        }
    }
}
