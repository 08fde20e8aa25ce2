/// The limits of a client's frames. Both ends check them: the client to explain, the server to be safe.
public enum FrameLimits {
    /// The longest identifier, in bytes.
    public static let maximumIdentifierByteCount = 64
    /// The shortest key of a user, in bytes.
    public static let minimumKeyByteCount = 16
    /// The longest name, in bytes of UTF-8.
    public static let maximumNameByteCount = 128
    /// The longest text, in bytes of UTF-8.
    public static let maximumTextByteCount = 4_000

    /// Whether a string is an identifier: 1 to 64 of `A-Z a-z 0-9 . _ -`.
    public static func isIdentifier(_ string: String) -> Bool {
        (1...maximumIdentifierByteCount).contains(string.utf8.count)
            && string.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension ClientFrame {
    /// - Throws: `WireError.value` with a sentence for a value outside its limits.
    func check() throws(WireError) {
        switch self {
        case .heartbeat: break
        case .acknowledge(let acknowledgement):
            guard acknowledgement.through >= 0 else { throw .value("A sequence number is not negative.") }
        case .register(let registration): try registration.check()
        case .directory(let request):
            if let after = request.after { try Self.check(after, "A user") }
        case .text(let text):
            try Self.check(text.id, "A text's identifier")
            try Self.check(text.to, "A user")
            guard (1...FrameLimits.maximumTextByteCount).contains(text.text.utf8.count) else {
                throw .value("A text has 1 to \(FrameLimits.maximumTextByteCount) bytes of UTF-8.")
            }
        case .invite(let invitation):
            try Self.check(invitation.id, "A call's identifier")
            try Self.check(invitation.to, "A user")
        case .call(let call): try Self.check(call.id, "A call's identifier")
        }
    }

    fileprivate static func check(_ identifier: String, _ subject: String) throws(WireError) {
        guard FrameLimits.isIdentifier(identifier) else {
            throw .value(
                "\(subject) has 1 to \(FrameLimits.maximumIdentifierByteCount) letters, digits, dots, dashes and "
                    + "underlines.")
        }
    }
}

extension Registration {
    /// - Throws: `WireError.value` with a sentence for a value outside its limits. The server answers another version
    ///   itself, so the version is not checked here.
    public func check() throws(WireError) {
        try ClientFrame.check(user, "A user")
        let isName =
            (1...FrameLimits.maximumNameByteCount).contains(name.utf8.count)
            && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard isName else {
            throw .value(
                "A name has 1 to \(FrameLimits.maximumNameByteCount) bytes of UTF-8 without control characters.")
        }
        guard FrameLimits.isIdentifier(key), key.utf8.count >= FrameLimits.minimumKeyByteCount else {
            throw .value(
                "A user's key has \(FrameLimits.minimumKeyByteCount) to \(FrameLimits.maximumIdentifierByteCount) "
                    + "letters, digits, dots, dashes and underlines.")
        }
    }
}
