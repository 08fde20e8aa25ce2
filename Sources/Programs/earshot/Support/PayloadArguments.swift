import ArgumentParser
import EarshotCoding
import EarshotConsole

/// The payload, for every command that sends one.
struct PayloadArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The payload as hexadecimal digits, two for each byte: 16 digits for a token.", valueName: "hex"))
    var hexDigits: String?

    @Option(help: "The payload as text, 1 to 32 bytes of UTF-8, instead of hexadecimal digits.")
    var text: String?

    func validate() throws {
        if hexDigits != nil, text != nil {
            throw ValidationError(
                "Both hexadecimal digits and --text are given; a frame has one payload, so leave one out.")
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
        do throws(PayloadError) {
            if let text { return try Payload(Array(text.utf8)) }
            return try Payload(hex: hexDigits ?? "")
        } catch {
            let place = text.map { "--text \"\($0.prefix(40).description.escapedForTerminal)\"" } ?? "the payload"
            throw Failure(.usage, "Cannot send \(place): \(error).")
        }
    }
}
