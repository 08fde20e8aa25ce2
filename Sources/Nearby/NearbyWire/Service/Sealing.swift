/// The numbers of sealed messages that the service and its clients agree on; section 12 of docs/PROTOCOL.md.
public enum Sealing {
    /// The version of the section.
    public static let version = 1
    /// The size of a project's salt, in bytes.
    public static let saltCount = 16
    /// The rounds of PBKDF2 that the service demands. They cost a device 0.3 ms for each token that it hears, and
    /// multiply by 2¹⁰ the work of an attacker who tries all 2⁶⁴ tokens.
    public static let rounds = 1_000
    /// The rounds that a client accepts: a service must not be able to keep it busy.
    public static let acceptedRounds = 100...100_000
    /// The size of the identifier of a token, in bytes.
    public static let identifierCount = 8
    /// The size of a wrapped key, in bytes: a nonce of 12, a key of 32, a tag of 16.
    public static let wrappedKeyCount = 60
    /// The maximum number of additional bytes of a sealed content: nonce, tag, two lengths, and the namespace and type,
    /// of up to 4 bytes a character.
    public static let maximumOverheadCount = 12 + 16 + 2 * 2 + 4 * (64 + 32)
    /// The maximum number of keys in a report.
    public static let keysPerReport = 400
}
