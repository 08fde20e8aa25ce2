// swift-format-ignore-file
// Lines as apps wrote them for the original module, in language modes 5 and 6. Some do not compile, and a few are run. The
// table in docs/MESSAGES.md names each of them.

import Dispatch
import Foundation
import NearbyMessages

/// Makes managers in every way that apps do.
@MainActor final class ManagerUses {
    static let shared: GNSMessageManager! = GNSMessageManager(apiKey: "key")
    let inferred = GNSMessageManager(apiKey: "key")
    var withBlock = GNSMessageManager(apiKey: "key", paramsBlock: { (params: GNSMessageManagerParams?) in
        guard let params = params else { print("no params"); return }
        params.bluetoothPowerErrorHandler = { (hasError: Bool) in print("power", hasError) }
        params.bluetoothPermissionErrorHandler = { hasError in if (hasError) { print("permission") } }
    })
    let older = GNSMessageManager(APIKey: "key")
    var replaced = GNSMessageManager()
    var optional: GNSMessageManager?
    var unwrapped: GNSMessageManager!
    let declared: GNSMessageManager
    lazy var later: GNSMessageManager = GNSMessageManager(apiKey: "key")
    lazy var laterOptional: GNSMessageManager? = {
        GNSMessageManager(apiKey: "key", paramsBlock: { [weak self] (params: GNSMessageManagerParams?) in
            guard let params = params else { return }
            params.microphonePermissionErrorHandler = { (hasError: Bool) in self?.hasMicrophoneError = hasError }
        })
    }()
    lazy var laterTrailing: GNSMessageManager = GNSMessageManager(apiKey: "key") { (params: GNSMessageManagerParams?) in
        guard let params = params else { return }
        params.microphonePermissionErrorHandler = self.microphoneHandler ?? { _ in }
        params.bluetoothPowerErrorHandler = self.microphoneHandler
    }
    var microphoneHandler: ((Bool) -> Void)?
    var hasMicrophoneError = false
    var publication: GNSPublication?
    var subscription: GNSSubscription!

    init() {
        declared = GNSMessageManager(apiKey: "key", paramsBlock: { (params: GNSMessageManagerParams?) -> Void in
            guard let params = params else { return }
            params.shouldShowBluetoothPowerAlert = true
            params.shouldUseBestAudioSessionCategory = false
            params.showBluetoothPowerAlert = false
            params.useBestAudioSessionCategory = true
            print("\(params)")
        })
        replaced = GNSMessageManager(APIKey: "key")
        optional = GNSMessageManager(APIKey: "key") { (params: GNSMessageManagerParams!) -> Void in
            params.microphonePermissionErrorHandler = { hasError in
                if hasError { print("allow the microphone") }
            }
        }
        unwrapped = GNSMessageManager(apiKey: nil)
    }

    /// In apps of Swift 4.2 and later an inferred manager is an optional; before, it was not.
    func call(_ message: GNSMessage) {
        publication = inferred?.publication(with: message)
        publication = inferred!.publication(with: message)
        publication = inferred.publication(with: message)
        publication = older.publicationWithMessage(message)
        if let manager = withBlock { publication = manager.publication(with: message) }
        if let manager = self.optional { publication = manager.publication(with: message) }
        guard let manager = optional else { return }
        subscription = manager.subscription(messageFoundHandler: { _ in }, messageLostHandler: { _ in })
        subscription = older.subscriptionWithMessageFoundHandler({ message in self.show(message) }, messageLostHandler: {_ in})
        subscription = older.subscription(messageFoundHandler: { _ in }, messageLostHandler: { _ in })
        subscription = inferred.subscription(messageFoundHandler: nil, messageLostHandler: nil, paramsBlock: nil)
        publication = unwrapped.publication(with: message)
        publication = ManagerUses.shared.publication(with: message)
        publication = declared.publication(with: message)
        publication = replaced.publicationWithMessage(message)
        publication = later.publication(with: message)
        publication = laterTrailing.publication(with: message)
        publication = laterOptional?.publication(with: message)
        publication = GNSMessageManager(apiKey: "key").publication(with: message)
        if publication != nil { publication = nil }
    }

    func make() -> GNSMessageManager? {
        GNSMessageManager.setDebugLoggingEnabled(GNSMessageManager.isDebugLoggingEnabled())
        guard let manager = GNSMessageManager(apiKey: "key") else { return nil }
        return manager
    }

    func make(key: String) -> GNSMessageManager { return GNSMessageManager(apiKey: key) }

    private func show(_ message: GNSMessage?) { print(message ?? "") }
}

/// Reads and compares messages in every way that apps do.
@MainActor final class MessageUses {
    var messages = [GNSMessage]()
    var kept: GNSMessage!
    var shown: [String?] = []

    func make(_ text: String, data: Data?) -> GNSMessage? {
        let message = GNSMessage(content: text.data(using: .utf8))
        guard let message = message else { return nil }
        let typed: GNSMessage = GNSMessage(content: text.data(using: .utf8, allowLossyConversion: true), type: "type")
        kept = GNSMessage(content: data)
        kept = GNSMessage.init(content: data, type: nil)
        kept = GNSMessage(content: NSData() as Data)
        if let another = GNSMessage(content: data, type: "type") { kept = another }
        take(GNSMessage(content: data))
        return [message, typed].first
    }

    func read(_ message: GNSMessage?) {
        if let content = message?.content { shown.append(String(data: content, encoding: .utf8)) }
        guard let data = message?.content, let text = String(bytes: data, encoding: .utf8) else { return }
        shown.append(text)
        shown.append(String(data: (message?.content)!, encoding: .utf8))
        guard let message = message else { return }
        shown.append(String(data: message.content, encoding: .utf8))
        shown.append(String(decoding: message.content!, as: UTF8.self))
        if let message = kept, !message.content.isEmpty { shown.append("\(message.messageNamespace!) \(message.type!)") }
        guard let type = message.type, let space = message.messageNamespace else { return }
        shown.append(type + space + message.type + message.messageNamespace)
        if message.type == "type" || message.type.isEmpty || message.type?.count == 3 { shown.append(nil) }
        switch message.type {
        case "type": shown.append("typed")
        default: break
        }
        if message.type != "type" { return }
        let length: Int = message.content.count + message.type.count
        let body: [String: Any] = ["type": message.type!, "content": message.content.base64EncodedString(), "length": length]
        let copied: String = message.type
        shown.append("\(body.count) \(String(describing: message.type)) \(copied)")
    }

    /// A message is an NSObject.
    func compare(_ message: GNSMessage, _ other: GNSMessage?) -> Bool {
        let object = message as NSObject
        shown.append(message.description + object.debugDescription + "\(message.hash) \(object.hashValue)")
        print(other ?? "")
        messages.append(message)
        let places = [messages.firstIndex(of: message), messages.firstIndex { $0 === message }]
        messages = messages.filter { $0 === message || $0 != other }
        let names: [GNSMessage: String] = [message: "name"]
        NotificationCenter.default.post(name: Notification.Name("found"), object: message, userInfo: ["message": message])
        let array = NSMutableArray()
        array.add(message)
        return message.isEqual(other) && object == message && messages.contains(message) && places.count == 2 * names.count
            && array.contains(message) && Set([message]).contains(message) && message.isKind(of: GNSMessage.self)
    }

    /// Reads a message as apps did before Swift 4.2.
    func readInferred(_ data: Data?) {
        let message = GNSMessage(content: data)
        shown.append(String(data: message.content, encoding: .utf8))
        shown.append(message.type + message.messageNamespace)
        let handler: GNSMessageHandler = { message in self.shown.append(message.type) }
        handler(message)
    }

    private func take(_ message: GNSMessage) {}
}

/// Keeps publications and subscriptions in every way that apps do.
@MainActor final class OperationUses {
    struct Options {
        var publication: GNSPublication?
        var message: GNSMessage?
        var block: GNSPublicationParamsBlock?
    }

    var publications = [GNSPublication]()
    var byName = [String : Options]()
    var subscription: GNSSubscription? = nil
    var subscriptions: [GNSSubscription] = []
    var subscriptionBlock: GNSSubscriptionParamsBlock?
    var isPublishing = false
    var status = ""
    var strategy: GNSStrategy?
    var beaconStrategy: GNSBeaconStrategy?

    func publish(_ manager: GNSMessageManager, _ message: GNSMessage?) {
        // The result is not used, so the publication ends at once.
        manager.publication(with: message)
        if let publication = manager.publication(with: message, paramsBlock: { params in
            params?.strategy = GNSStrategy(paramsBlock: { strategyParams in
                strategyParams?.discoveryMediums = .audio
                strategyParams?.discoveryMode = .scan
            })
        }) {
            publications.append(publication)
        }
        let strategy = GNSStrategy { $0?.discoveryMediums = .audio }
        publications.append(manager.publication(with: message, paramsBlock: { $0?.strategy = strategy }))
        let block = { (params: GNSPublicationParams!) -> Void in
            params.strategy = self.strategy
            params.statusHandler = { (status: GNSOperationStatus!) -> Void in
                switch status {
                case .starting: self.status = "starting"
                case .active: self.status = "active"
                case .inactive: self.status = "inactive"
                case .none: fallthrough
                @unknown default: self.status = "unknown"
                }
            }
        }
        byName["a"] = Options(publication: manager.publication(with: message, paramsBlock: block), message: message, block: block)
        for (name, options) in byName {
            byName[name]?.publication = manager.publication(with: options.message, paramsBlock: options.block)
        }
        let publication = manager.publication(with: message!) { (params: GNSPublicationParams?) in
            guard let params = params else { return }
            params.permissionRequestHandler = { (permissionHandler: GNSPermissionHandler?) in permissionHandler?(true) }
            params.statusHandler = { (status: GNSOperationStatus) in
                self.isPublishing = status.rawValue == GNSOperationStatus.active.rawValue
            }
        }
        byName["b"]?.publication = publication
        let object = publication as NSObjectProtocol?
        print(publications.contains { $0 === publication }, object?.isEqual(publication) ?? false)
        publications.removeAll()
    }

    func subscribe(_ manager: GNSMessageManager) {
        manager.subscription(messageFoundHandler: { (message) in
            print(message ?? "")
        }) { (message) in
            print(message ?? "")
        }
        subscription = manager.subscription(messageFoundHandler: { [unowned self] (message: GNSMessage?) -> Void in
            self.status = "found"
        }, messageLostHandler: { [weak self] (message: GNSMessage?) in
            self?.status = "lost"
        }) { (params: GNSSubscriptionParams?) in
            guard let params = params else { return }
            params.strategy = GNSStrategy(paramsBlock: { (params: GNSStrategyParams?) in
                guard let params = params else { return }
                params.allowInBackground = true
            })
        }
        subscription = manager.subscription(messageFoundHandler: found, messageLostHandler: found, paramsBlock: subscriptionBlock)
        subscriptions.append(manager.subscription(messageFoundHandler: { (message) in print(message?.type ?? "") },
            messageLostHandler: { _ in }))
        let handler: GNSMessageHandler = { [weak self] message in self?.found(message: message) }
        subscription = manager.subscription(messageFoundHandler: handler, messageLostHandler: handler, paramsBlock: { (params) in
            params?.deviceTypesToDiscover = .bleBeacon
            params?.beaconStrategy = self.beaconStrategy
        })
        let (namespace, type): (String?, String?) = (nil, "type")
        subscriptionBlock = { (params: GNSSubscriptionParams!) -> Void in
            params.deviceTypesToDiscover = GNSDeviceTypes.usingNearby
            params.messageNamespace = namespace
            params.type = type
            params.type = ""
            params.strategy = self.strategy
            params.beaconStrategy = GNSBeaconStrategy(paramsBlock: { (params: GNSBeaconStrategyParams!) in
                params.includeIBeacons = false
                params.lowPowerPreferred = false
                params.allowInBackground = true
            })
            params.permissionRequestHandler = { (permissionHandler: GNSPermissionHandler!) in permissionHandler(true) }
            params.statusHandler?(.inactive)
        }
    }

    func found(message: GNSMessage?) {}

    func chooseStrategy(modes: [String], mediums: Int, mode: Any) -> GNSStrategy {
        var chosen = GNSDiscoveryMode()
        if modes.contains("scan") { chosen.insert(.scan) }
        let defaultModes: GNSDiscoveryMode = [.broadcast, .scan]
        let other: GNSDiscoveryMode? = chosen.isEmpty ? nil : chosen
        beaconStrategy = GNSBeaconStrategy()
        beaconStrategy = GNSBeaconStrategy(paramsBlock: { (strategyParam) in strategyParam?.includeIBeacons = true })
        let block = { (params: GNSStrategyParams!) -> Void in
            params.discoveryMode = other ?? defaultModes
            params.discoveryMode = GNSDiscoveryMode(rawValue: mode as! Int)
            params.discoveryMediums = GNSDiscoveryMediums(rawValue: mediums)
        }
        strategy = GNSStrategy(paramsBlock: block)
        let types = GNSDeviceTypes(rawValue: Int(1))
        print(types.rawValue + chosen.rawValue + GNSDiscoveryMediums.BLE.rawValue, strategy!.discoveryMode == .default)
        return strategy ?? GNSStrategy()
    }
}

/// Asks for and follows the permission in every way that apps do.
@MainActor final class PermissionUses {
    var permission: GNSPermission!
    var optional: GNSPermission?
    var handler: ((Bool) -> Void)?
    var granted = false

    func follow() {
        permission = GNSPermission(changedHandler: {[unowned self] granted in self.granted = granted })
        optional = GNSPermission { [weak self] granted in if !granted { self?.granted = false } }
        optional = GNSPermission(changedHandler: handler)
        optional = GNSPermission(changedHandler: { (_: Bool) in DispatchQueue.main.async { print("changed") } })
        let unused = GNSPermission(changedHandler: { (granted: Bool) in print(granted) })
        let isGranted: () -> Bool = GNSPermission.isGranted
        let words = [unused?.description, "\(isGranted())"]
        optional = words.isEmpty ? permission : nil
    }

    func toggle() { GNSPermission.setGranted(!GNSPermission.isGranted()) }
}

// Every class of the original is an NSObject without restrictions, so an app or its tests may subclass it.

class RecordingManager: GNSMessageManager, @unchecked Sendable {
    nonisolated(unsafe) static var published: [GNSMessage?] = []

    override init!(apiKey: String!) { super.init(apiKey: apiKey) }

    override func publication(with message: GNSMessage!) -> GNSPublication! {
        RecordingManager.published.append(message)
        return super.publication(with: message)
    }

    override class func isDebugLoggingEnabled() -> Bool { true }
}

class NamedMessage: GNSMessage, @unchecked Sendable {
    var name: String { return String(decoding: content, as: UTF8.self) }

    override var description: String { return "message \(name)" }
}

class AppPermission: GNSPermission {
    override class func isGranted() -> Bool { return true }
}

class AppParams: GNSMessageManagerParams {
    override var showBluetoothPowerAlert: Bool { didSet { print("set") } }
}

class AppStrategy: GNSStrategy, @unchecked Sendable {}
class AppBeaconStrategy: GNSBeaconStrategy, @unchecked Sendable {}

extension GNSMessage {
    var text: String? { return String(data: content, encoding: .utf8) }
}
