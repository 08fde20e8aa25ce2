import EarshotCoding
import EarshotDiscovery
import Synchronization

/// What a publication or subscription consists of, whoever holds it: the app by its handle, the exchange until it is over.
final class OperationCore: Sendable {
    /// What it does.
    enum Purpose: Sendable {
        case message(Message)
        /// In the sound itself.
        case direct(Payload)
        case subscription(namespace: String, type: String)
        /// To what comes in the sound itself, and nothing else.
        case directSubscription
    }

    /// Unique within the manager.
    let number: Int
    let purpose: Purpose
    let strategy: DiscoveryStrategy
    let consent: ConsentHandler?
    /// What a subscription reports.
    let events = EventQueue()
    private let statuses = Announcements<OperationStatus>([.inactive])
    private let isEnded = Atomic(false)
    private let onEnd: @Sendable (Int) -> Void

    init(
        _ number: Int, _ purpose: Purpose, _ strategy: DiscoveryStrategy, consent: ConsentHandler?,
        onEnd: @escaping @Sendable (Int) -> Void
    ) {
        self.number = number
        self.purpose = purpose
        self.strategy = strategy
        self.consent = consent
        self.onEnd = onEnd
    }

    var isOver: Bool { isEnded.load(ordering: .acquiring) }

    var status: OperationStatus { statuses.current.first ?? .inactive }

    var statusStream: AsyncStream<OperationStatus> { statuses.stream }

    /// Tells it where it is new.
    func set(_ status: OperationStatus) {
        statuses.announce { current in
            guard current != [status] else { return [] }
            current = [status]
            return [status]
        }
    }

    /// From now on it is over for whoever holds it; what is left to do is done behind.
    func end() {
        guard !isEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        set(.inactive)
        statuses.finish()
        events.finish()
        onEnd(number)
    }

    /// The service is needed for it, but for messages in the sound itself.
    var order: ServiceOrder? {
        switch purpose {
        case .message(let message): .publication(message)
        case .direct, .directSubscription: nil
        case .subscription(let namespace, let type): .subscription(namespace: namespace, type: type)
        }
    }

    var isSubscription: Bool {
        switch purpose {
        case .subscription, .directSubscription: true
        case .message, .direct: false
        }
    }

    /// The directions that are of use to it.
    var usefulMode: DiscoveryMode {
        switch purpose {
        case .message, .subscription: .both
        case .direct: .broadcast
        case .directSubscription: .scan
        }
    }

    /// Whether messages in the sound itself are for it: they have neither namespace nor type.
    var takesDirectMessages: Bool {
        switch purpose {
        case .subscription("", ""), .directSubscription: strategy.mode.contains(.scan)
        case .subscription, .message, .direct: false
        }
    }
}
