import EarshotSystem
import Testing

/// Paths that are not UTF-8 name the file with exactly these bytes.
@Suite struct FilePathTests {
    /// "café" in Latin-1, and a cut character of three bytes.
    private static let name: [UInt8] = Array("caf".utf8) + [0xE9, 0xE2, 0x82] + Array(".wav".utf8)

    @Test func bytesThatAreNoCharacterAreShownAsNumbers() {
        #expect(FilePath(bytes: Self.name).description == #"caf\xE9\xE2\x82.wav"#)
        #expect(FilePath("d/café.wav").description == "d/café.wav")
        #expect(
            UTF8Piece.pieces(of: [0x61, 0xFF, 0xC3, 0xA9, 0xC3])
                == [.scalar("a"), .byte(0xFF), .scalar("é"), .byte(0xC3)])
    }

    @Test func partsOfAPath() {
        let path = FilePath(bytes: Array("/d/".utf8) + Self.name)
        #expect(path.directory == "/d")
        #expect(path.name == FilePath(bytes: Self.name))
        #expect(FilePath("x").directory == "." && FilePath("/x").directory == "/")
        #expect(FilePath("take.wav").hasSuffix(".wav") && !FilePath("wav").hasSuffix(".wav"))
        #expect(FilePath("take.wav").dropLast(4).appending(".json") == "take.json")
    }
}
