import CALSA
import Glibc

/// The failure of an operation on a sound device: the operation, the device, the reason and the remedy.
public struct DeviceError: Error, Equatable, CustomStringConvertible {
    /// The reasons that a program can tell apart.
    public enum Kind: String, CaseIterable, Sendable {
        /// No device of that name exists, or it is not plugged in.
        case notFound
        /// Another program uses the device exclusively.
        case busy
        /// The system denies access.
        case notPermitted
        /// The device disappeared: it was unplugged, or its sound server ended.
        case vanished
        /// The device does not support the requested rate, channel count or format.
        case unsupported
        /// Any other failure.
        case failed
    }

    /// The reason, for programs to compare.
    public let kind: Kind

    /// The attempted operation, a verb: "open", "configure", "start", "record from", "play to".
    public let operation: String

    /// The PCM as the caller named it.
    public let device: String

    /// The reason as the library or the system gave it: a clause without a full stop.
    public let detail: String

    /// The remedy: a sentence without a full stop.
    public let advice: String

    /// Creates an error from its parts.
    public init(_ kind: Kind, operation: String, device: String, detail: String, advice: String) {
        self.kind = kind
        self.operation = operation
        self.device = device
        self.detail = detail
        self.advice = advice
    }

    /// Whether the same request may succeed later: another program may finish, a device may be plugged in again, a
    /// server may start.
    public var isWorthRetrying: Bool {
        switch kind {
        case .busy, .notFound, .vanished, .failed: true
        case .notPermitted, .unsupported: false
        }
    }

    /// One line: operation, device, reason and remedy.
    public var description: String {
        "Cannot \(operation) the sound device '\(device)': \(detail). \(advice)."
    }
}

extension DeviceError {
    /// The error of a call into ALSA that returned `code`, a negative errno.
    /// - Parameter said: the library's own message, empty if there is none.
    static func alsa(_ code: Int, operation: String, device: String, said: String = "") -> DeviceError {
        let (kind, advice) = judgement(CInt(truncatingIfNeeded: -code), isOpen: operation == "open")
        let reason = String(cString: snd_strerror(CInt(truncatingIfNeeded: code)))
        let detail = said.isEmpty ? reason : "\(reason) (\(said))"
        return DeviceError(kind, operation: operation, device: device, detail: detail, advice: advice)
    }

    private static func judgement(_ code: CInt, isOpen: Bool) -> (Kind, advice: String) {
        switch code {
        case ENOENT, ENXIO:
            (.notFound, "'earshot devices' lists the available devices")
        case ENODEV where isOpen:
            (.notFound, "'earshot devices' lists the available devices; plug it in, or name another one")
        case ECONNREFUSED, EHOSTUNREACH, ETIMEDOUT, EPROTO:
            (.vanished, "Its sound server does not answer: start it, or name a device that needs none")
        case ENODEV, EIO, ENOTCONN, EPIPE, ESHUTDOWN, EBADFD, ECONNRESET, ESTRPIPE:
            (.vanished, "Plug it in again or start its sound server again, then retry")
        case EBUSY, EAGAIN:
            (.busy, "End the program that uses it, or use a PCM that several programs can share, such as 'default'")
        case EACCES, EPERM:
            (.notPermitted, "Add yourself to the group that owns /dev/snd (on Debian: audio) and log in again")
        case EINVAL where isOpen:
            (.unsupported, "Correct its definition in ALSA's configuration, or name another device")
        case EINVAL, ENOTTY, ENOSYS, EOPNOTSUPP:
            (.unsupported, "'earshot devices' shows what it offers; a 'plughw:' or 'default' PCM converts")
        default:
            (.failed, "Try again; if that does not help, try the device with arecord or aplay")
        }
    }
}
