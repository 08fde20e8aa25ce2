import EarshotCoding

/// Tokens in advertisements: the token is the data of Earshot's service.
///
///     flags: 02 01 04 │ length 21 <uuid, 16 bytes, least significant first> <token, 1 to 10 bytes>
///
/// An advertisement has 31 bytes. The flags take 3 and the head of the service data 18, so 10 are left for the token. See
/// docs/PROTOCOL.md.
enum TokenAdvertisement {
    /// The service, a random UUID.
    static let service = BluetoothUUID("1b0a55e6-a5c4-4d9c-93cd-0f65682e35ff")!
    /// The maximum number of bytes of a token that an advertisement carries.
    static let maximumByteCount = 10

    /// The advertisement of a token; nil if the token is too long.
    static func content(_ token: Payload) -> Advertisement? {
        guard token.bytes.count <= maximumByteCount else { return nil }
        return Advertisement(serviceData: [service: Array(token.bytes)])
    }

    /// The token in an advertisement; nil if there is none, or none of 1 to 10 bytes.
    static func token(_ content: Advertisement) -> Payload? {
        guard let data = content.serviceData[service], data.count <= maximumByteCount else { return nil }
        return try? Payload(data)
    }
}
