import ArgumentParser
import EarshotAudio
import EarshotCoding
import EarshotConsole
import EarshotSoundConsole
import EarshotSystem

/// The payload, for every command that sends one.
struct PayloadArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The payload as hexadecimal digits, two for each byte: 16 digits for a token.", valueName: "hex"))
    var hexDigits: String?

    @Option(
        help: """
            The payload as text, 1 to 32 bytes of UTF-8, instead of hexadecimal digits; '-' reads it from standard input, \
            without its final newline.
            """)
    var text: String?

    func validate() throws {
        if hexDigits != nil, text != nil {
            throw ValidationError(
                "Both hexadecimal digits and --text are given; leave one out, or put a text of several words into quotation marks."
            )
        }
        try ProgramArguments.requireUTF8([("--text", text)])
        if hexDigits == nil, text == nil {
            throw ValidationError(
                "Nothing to send: give hexadecimal digits (0123456789abcdef) or --text \"some words\".")
        }
    }

    /// The payload that the arguments give.
    /// - Throws: `Failure` if the digits or the text are no valid payload.
    func payload() throws(Failure) -> Payload {
        if text == "-" { return try Self.payloadFromStandardInput() }
        do throws(PayloadError) {
            if let text { return try Payload(Array(text.utf8)) }
            return try Payload(hex: hexDigits ?? "")
        } catch {
            var advice = ""
            if case .notHexadecimal = error { advice = "; to send text as it is typed use --text" }
            let place = text.map { "--text \"\($0.prefix(40).description.escapedForTerminal)\"" } ?? "the payload"
            throw Failure(.usage, "Cannot send \(place): \(error)\(advice).")
        }
    }

    /// The text on standard input as a payload; a newline at its end is not part of it.
    private static func payloadFromStandardInput() throws(Failure) -> Payload {
        var bytes: [UInt8]
        do throws(InputFile.Problem) {
            // Enough for the error to state the true number of bytes of a text that is only somewhat too long.
            bytes = try InputFile.read("-", maximumByteCount: 65_536)
        } catch .system(let code) {
            throw Failure(
                reading: .system(code, operation: "read", path: "standard input", fallback: .cannotRead))
        } catch {
            throw Failure(.usage, "Cannot send standard input: a frame carries 1 to 32 bytes of text.")
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Failure(.usage, "Cannot send the text on standard input: it is not UTF-8.")
        }
        do throws(PayloadError) {
            return try Payload(bytes)
        } catch {
            throw Failure(.usage, "Cannot send the text on standard input: \(error).")
        }
    }
}
