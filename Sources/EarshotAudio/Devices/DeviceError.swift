import CALSA
import Glibc

/// What went wrong with a sound device: which operation, on which device, why, and what would work.
public struct DeviceError: Error, Equatable, CustomStringConvertible {
    /// The reasons a program may want to tell apart.
    public enum Kind: String, CaseIterable, Sendable {
        /// There is no device of that name, or it is not plugged in.
        case notFound
        /// Another program has it to itself.
        case busy
        /// The system refuses access.
        case notPermitted
        /// It was there and is not any more: unplugged, or its sound server has ended.
        case vanished
        /// It cannot do what was asked for: a rate, a channel count, a format.
        case unsupported
        /// Anything else.
        case failed
    }

    /// The reason, for programs.
    public let kind: Kind

    /// What was attempted, a verb: "open", "configure", "start", "record from", "play to".
    public let operation: String

    /// The PCM as the caller named it.
    public let device: String

    /// What the library or the system said, a clause without a full stop.
    public let detail: String

    /// What would work, a sentence without a full stop.
    public let advice: String

    /// Puts an error together from its parts.
    public init(_ kind: Kind, operation: String, device: String, detail: String, advice: String) {
        self.kind = kind
        self.operation = operation
        self.device = device
        self.detail = detail
        self.advice = advice
    }

    /// Whether the same attempt may succeed later without anybody changing what is asked for: another program may
    /// finish, a plug may be put back, a server may start.
    public var isWorthRetrying: Bool {
        switch kind {
        case .busy, .notFound, .vanished, .failed: true
        case .notPermitted, .unsupported: false
        }
    }

    /// One line: what failed, on what, why; and what to do.
    public var description: String {
        "Cannot \(operation) the sound device '\(device)': \(detail). \(advice)."
    }
}

extension DeviceError {
    /// The error of a call into ALSA that returned `code`, a negative errno.
    /// - Parameter said: what the library wrote about it, if anything.
    static func alsa(_ code: Int, operation: String, device: String, said: String = "") -> DeviceError {
        let (kind, advice) = judgement(CInt(truncatingIfNeeded: -code), isOpen: operation == "open")
        let reason = String(cString: snd_strerror(CInt(truncatingIfNeeded: code)))
        let detail = said.isEmpty ? reason : "\(reason) (\(said))"
        return DeviceError(kind, operation: operation, device: device, detail: detail, advice: advice)
    }

    private static func judgement(_ code: CInt, isOpen: Bool) -> (Kind, advice: String) {
        switch code {
        case ENOENT, ENXIO:
            (.notFound, "'earshot devices' lists those that are there")
        case ENODEV where isOpen:
            (.notFound, "'earshot devices' lists those that are there; plug it in, or name another one")
        case ECONNREFUSED, EHOSTUNREACH, ETIMEDOUT, EPROTO:
            (.vanished, "Its sound server does not answer: start it, or name a device that needs none")
        case ENODEV, EIO, ENOTCONN, EPIPE, ESHUTDOWN, EBADFD, ECONNRESET, ESTRPIPE:
            (.vanished, "Plug it in again or start its sound server again; trying again then helps")
        case EBUSY, EAGAIN:
            (.busy, "End the program that uses it, or use a PCM that several programs can share, such as 'default'")
        case EACCES, EPERM:
            (.notPermitted, "Add yourself to the group that owns /dev/snd (on Debian: audio) and log in again")
        case EINVAL where isOpen:
            (.unsupported, "Correct its definition in ALSA's configuration, or name another device")
        case EINVAL, ENOTTY, ENOSYS, EOPNOTSUPP:
            (.unsupported, "'earshot devices' says what it offers; a 'plughw:' or 'default' PCM converts")
        default:
            (.failed, "Try again; if that does not help, try the device with arecord or aplay")
        }
    }
}
