import EarshotCoding
import EarshotDiscovery
import Foundation
import NearbyWire
import Synchronization

/// The request of a publication or subscription.
struct Operation: Sendable {
    /// The purpose of an operation.
    enum Purpose: Sendable {
        case message(Message)
        /// A message in the sound itself.
        case direct(Payload)
        case subscription(namespace: String, type: String)
        /// A subscription to messages in the sound itself only.
        case directSubscription
        /// A subscription to messages of beacons only. One to both is a `subscription` with `beacons`.
        case beaconSubscription(namespace: String, type: String)
    }

    let purpose: Purpose
    let strategy: DiscoveryStrategy
    /// How to look for beacons; nil if the operation does not.
    var beacons: BeaconStrategy?

    init(_ purpose: Purpose, _ strategy: DiscoveryStrategy, beacons: BeaconStrategy? = nil) {
        self.purpose = purpose
        self.strategy = strategy
        self.beacons = beacons
    }

    /// The registration at the service; nil for messages in the sound itself and for those of beacons.
    var order: ServiceOrder? {
        switch purpose {
        case .message(let message): .publication(message)
        case .direct, .directSubscription, .beaconSubscription: nil
        case .subscription(let namespace, let type): .subscription(namespace: namespace, type: type)
        }
    }

    var isSubscription: Bool {
        switch purpose {
        case .subscription, .directSubscription, .beaconSubscription: true
        case .message, .direct: false
        }
    }

    /// The directions that the operation can use.
    var usefulMode: DiscoveryMode {
        switch purpose {
        case .message, .subscription: .both
        case .direct: .broadcast
        case .directSubscription: .scan
        case .beaconSubscription: []
        }
    }

    /// The attachments that it finds; nil if it does not look for beacons.
    var attachmentFilter: AttachmentFilter? {
        guard beacons != nil else { return nil }
        return switch purpose {
        case .subscription(let namespace, let type), .beaconSubscription(let namespace, let type):
            AttachmentFilter(namespace: namespace, type: type)
        case .message, .direct, .directSubscription: nil
        }
    }

    /// Whether any part of it continues while the app is in the background.
    var isAllowedInBackground: Bool {
        usefulMode.isEmpty
            ? beacons?.isAllowedInBackground == true
            : strategy.isAllowedInBackground || beacons?.isAllowedInBackground == true
    }

    /// Whether the user must also consent to revealing where the device is.
    var locationNeed: LocationNeed {
        guard let beacons, beacons.scan.needsLocation else { return .none }
        return beacons.isAllowedInBackground ? .always : .inForeground
    }

    /// Whether it receives messages in the sound itself, which have neither namespace nor type.
    var takesDirectMessages: Bool {
        switch purpose {
        case .subscription("", ""), .directSubscription: strategy.mode.contains(.scan)
        case .subscription, .message, .direct, .beaconSubscription: false
        }
    }

    /// The operation in the form for the user's agent, with the address and key of the service; nil if it is not for
    /// the background.
    /// - Parameter ordinal: distinguishes equal operations of one app.
    func backgroundOperation(key: String, service: String, ordinal: Int) -> BackgroundOperation? {
        let isNearby = strategy.isAllowedInBackground && strategy.uses(.bluetooth) && !strategy.mode.isEmpty
        let wanted = beacons.map {
            BackgroundOperation.Beacons(includesIBeacons: $0.includesIBeacons, prefersLowPower: $0.prefersLowPower)
        }
        func make(_ content: Data?, _ type: String, _ namespace: String, _ mode: DiscoveryMode) -> BackgroundOperation {
            BackgroundOperation(
                key: key, service: service, content: content, type: type, namespace: namespace, mode: mode,
                beacons: wanted, ordinal: ordinal)
        }
        switch purpose {
        case .message(let message):
            return isNearby ? make(message.content, message.type, message.namespace, strategy.mode) : nil
        case .subscription(let namespace, let type):
            guard isNearby, beacons?.isAllowedInBackground ?? true else { return nil }
            return make(nil, type, namespace, strategy.mode)
        case .beaconSubscription(let namespace, let type):
            return beacons?.isAllowedInBackground == true ? make(nil, type, namespace, []) : nil
        case .direct, .directSubscription: return nil
        }
    }
}

/// Whether an operation can reveal where the device is. The user is asked about each case separately.
enum LocationNeed: Sendable, Hashable {
    case none
    /// While the app runs.
    case inForeground
    /// Also while the app is not running.
    case always
}

/// An operation between the app's handle and the exchange, which share it.
final class OperationHandle: Sendable {
    /// Unique within the manager.
    let number: Int
    let operation: Operation
    let consent: ConsentHandler?
    /// The events of a subscription.
    let events = EventQueue()
    private let statuses = Announcements<OperationStatus>([.inactive])
    private let isEnded = Atomic(false)
    private let onEnd: @Sendable (Int) -> Void

    init(_ number: Int, _ operation: Operation, consent: ConsentHandler?, onEnd: @escaping @Sendable (Int) -> Void) {
        self.number = number
        self.operation = operation
        self.consent = consent
        self.onEnd = onEnd
    }

    var isOver: Bool { isEnded.load(ordering: .acquiring) }

    var status: OperationStatus { statuses.current.first ?? .inactive }

    var statusStream: AsyncStream<OperationStatus> { statuses.stream }

    /// Announces the status if it is new.
    func set(_ status: OperationStatus) {
        statuses.announce { current in
            guard current != [status] else { return [] }
            current = [status]
            return [status]
        }
    }

    /// Ends the operation for its holder immediately. The exchange ends the rest in the background.
    func end() {
        guard !isEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        set(.inactive)
        statuses.finish()
        events.finish()
        onEnd(number)
    }
}
