import EarshotPush
public import Foundation
import Synchronization

/// A mobile network of an organization. It matches only if ModemManager reports the network of the modem.
public final class NEPrivateLTENetwork: NSObject, Sendable {
    private let network = Mutex(PushMobileNetwork(countryCode: "", networkCode: ""))

    /// A network without codes; set them before use.
    public override init() { super.init() }

    init(_ network: PushMobileNetwork) {
        super.init()
        self.network.withLock { $0 = network }
    }

    /// 3 digits.
    public var mobileCountryCode: String {
        get { network.withLock(\.countryCode) }
        set { network.withLock { $0.countryCode = newValue } }
    }

    /// 2 or 3 digits.
    public var mobileNetworkCode: String {
        get { network.withLock(\.networkCode) }
        set { network.withLock { $0.networkCode = newValue } }
    }

    /// Up to 6 hexadecimal digits; nil for every area.
    public var trackingAreaCode: String? {
        get { network.withLock(\.trackingAreaCode) }
        set { network.withLock { $0.trackingAreaCode = newValue } }
    }

    var value: PushMobileNetwork { network.withLock(\.self) }
}
