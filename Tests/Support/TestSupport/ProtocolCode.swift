public import EarshotCoding

/// The codes of docs/PROTOCOL.md, section 4, for tests that do not know the modem.
public struct ProtocolCode: Sendable, CustomStringConvertible {
    /// The profile that uses the code.
    public let profileName: String
    /// The generators, least significant tone bit first.
    public let generators: [UInt16]
    /// The number of bits in the state.
    public let memoryBits = 10

    /// The code under test.
    public var code: TrellisCode { TrellisCode(memoryBits: memoryBits, generators: generators) }
    /// M, the number of tones.
    public var toneCount: Int { 1 << generators.count }
    /// The name in test reports.
    public var description: String { profileName }

    /// M = 16.
    public static let fast = ProtocolCode(profileName: "fast", generators: [0o4224, 0o2174, 0o1065, 0o457])
    /// M = 32.
    public static let standard = ProtocolCode(
        profileName: "standard", generators: [0o4167, 0o2022, 0o1135, 0o503, 0o333])
    /// M = 64.
    public static let far = ProtocolCode(
        profileName: "far", generators: [0o4050, 0o2034, 0o1057, 0o471, 0o201, 0o103])
    /// All three.
    public static let all = [fast, standard, far]
}
