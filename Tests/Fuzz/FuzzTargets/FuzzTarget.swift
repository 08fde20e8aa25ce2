/// A parser, or another part that receives data from others, and the rules that must hold for any bytes.
///
/// `make fuzz` looks for bytes that break a rule, and `FuzzTargetsTests` repeats the important ones
/// (`Fixtures/Fuzz/NAME`). A broken rule ends the process.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// Sound files and pipes.
    case wav
    /// Samples, holes and frames in blocks of any size.
    case receiver
    /// Payloads from the decoder's bits.
    case payload
    /// Digits, formats, names and any bytes on a command line.
    case text
    /// Advertisements that Bluetooth receives.
    case beacons
    /// Values of D-Bus.
    case dbus
    /// Messages of the kernel about the network.
    case netlink
    /// The stream of the service's events.
    case events
    /// Frames between apps, agent and providers.
    case frames
    /// Bodies of the service's requests and answers.
    case bodies
    /// Property lists, and configurations of local push.
    case properties
    /// The files of permissions.
    case permissions
    /// Sequences of calls of `earshot.h`.
    case interface

    /// Gives the bytes to the target.
    package func run(_ bytes: [UInt8]) {
        switch self {
        case .wav: fuzzSoundFile(bytes)
        case .receiver: fuzzReceiver(bytes)
        case .payload: fuzzPayload(bytes)
        case .text: fuzzText(bytes)
        case .beacons: fuzzBeacons(bytes)
        case .dbus: fuzzDBus(bytes)
        case .netlink: fuzzNetlink(bytes)
        case .events: fuzzEvents(bytes)
        case .frames: fuzzFrames(bytes)
        case .bodies: fuzzBodies(bytes)
        case .properties: fuzzProperties(bytes)
        case .permissions: fuzzPermissions(bytes)
        case .interface: fuzzInterface(bytes)
        }
    }
}

/// Ends the process with a text that names the broken rule.
func require(_ isTrue: Bool, _ text: @autoclosure () -> String) {
    if !isTrue { fatalError(text()) }
}

/// Bytes that choose a target's steps, one after the other. After the last one they are 0.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number below `count`, from one byte, or from two if there are more.
    mutating func below(_ count: Int) -> Int {
        (count <= 256 ? Int(byte()) : Int(byte()) << 8 | Int(byte())) % count
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// All remaining bytes.
    mutating func remainder() -> [UInt8] { bytes(rest.count) }

    /// Text of up to 255 bytes, of any bytes.
    mutating func text() -> String { String(decoding: bytes(Int(byte())), as: UTF8.self) }
}
