package import EarshotDiscovery
package import Foundation
package import NearbyWire

extension BackgroundOperation {
    /// An operation of these values, with an identifier derived from them.
    /// - Parameter ordinal: distinguishes equal operations of one app; 1 for the first.
    package init(
        key: String, service: String, content: Data? = nil, type: String = "", namespace: String = "",
        mode: DiscoveryMode = .both, beacons: Beacons? = nil, endsAt: Double? = nil, ordinal: Int = 1
    ) {
        self.init(
            key: key, service: service, content: content, type: type, namespace: namespace, mode: mode.rawValue,
            beacons: beacons, endsAt: endsAt, ordinal: ordinal)
    }

    package var discoveryMode: DiscoveryMode { DiscoveryMode(rawValue: mode) }

    /// Checks every limit, because the operation comes from another process.
    /// - Returns: why the operation is invalid, as a sentence; nil if it is valid.
    package var flaw: String? {
        let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-".utf8)
        guard !id.isEmpty, id.utf8.count <= Self.maximumIdentifierByteCount, id.utf8.allSatisfy(letters.contains) else {
            return "The operation's id is not 1 to \(Self.maximumIdentifierByteCount) of A-Z a-z 0-9 . _ -."
        }
        guard !key.isEmpty, key.utf8.count <= Self.maximumKeyByteCount else {
            return "The key is empty, or has more than \(Self.maximumKeyByteCount) bytes."
        }
        guard service.utf8.count <= Self.maximumServiceByteCount, let url = serviceURL, url.host?.isEmpty == false,
            ["http", "https"].contains(url.scheme?.lowercased())
        else { return "The service is not an http or https address." }
        guard (0...3).contains(mode) else { return "The mode is not 0 to 3." }
        guard mode != 0 || (beacons != nil && content == nil) else {
            return "The operation does nothing: its mode is 0."
        }
        guard content == nil || beacons == nil else { return "A publication cannot look for beacons." }
        let longestType = mode == 0 ? BeaconAttachment.maximumTypeCount : Message.maximumTypeCount
        guard type.unicodeScalars.count <= longestType else { return "The type is too long." }
        do throws(MessageError) {
            try Message(content: content ?? Data(), type: mode == 0 ? "" : type, namespace: namespace).check()
        } catch {
            return "The operation is invalid: \(error)."
        }
        guard endsAt?.isFinite ?? true else { return "The end of the operation is not a time." }
        return nil
    }
}
