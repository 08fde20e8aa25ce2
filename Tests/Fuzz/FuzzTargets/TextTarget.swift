import EarshotAudio
import EarshotCoding
import EarshotConsole

@testable import EarshotMessages

/// A value from a command line survives its own text, as do any bytes of an argument. Its printed form cannot control a
/// terminal. An app's identifier is one name in a folder.
func fuzzText(_ bytes: [UInt8]) {
    // An argument cannot contain a 0.
    let word = bytes.filter { $0 != 0 }
    let argument = ProgramArguments.text(of: word)
    require(ProgramArguments.bytes(of: argument) == word, "\(word) became \(argument)")
    let printed = argument.escapedForTerminal
    require(
        printed.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control },
        "\(word) is printed as \(printed)")
    let text = String(decoding: bytes, as: UTF8.self)
    if let payload = try? Payload(hex: text) {
        require((try? Payload(hex: payload.hex)) == payload, "\(text) became \(payload)")
    }
    if let format = try? RawFormat(parsing: text) {
        require((try? RawFormat(parsing: format.description)) == format, "\(text) became \(format)")
    }
    let folder = ConfigurationFolder(applicationIdentifier: text, base: "/base")
    require(!folder.name.utf8.contains(UInt8(ascii: "/")) && !["", ".", ".."].contains(folder.name), "\(folder)")
    require(folder.path == "/base/\(folder.name)" && folder.name.utf8.count <= 210, "\(folder)")
}
