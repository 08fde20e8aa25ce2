import EarshotBasics
import EarshotCoding
import TestSupport
import Testing

@Suite(.optimized) struct PayloadTests {
    @Test func bytesComeBackAtEveryLength() throws {
        for count in 1...32 {
            var random = SeededGenerator(seed: UInt64(count))
            let bytes = random.bytes(count)
            let payload = try Payload(bytes)
            #expect(payload.count == count)
            #expect(payload.bytes == bytes, "seed \(count)")
            #expect(try Payload(hex: payload.hex) == payload, "seed \(count)")
            #expect(payload.hex.count == 2 * count)
            #expect(payload.description == payload.hex)
        }
    }

    /// The number of bytes is part of a payload: adding zeros makes another payload.
    @Test func lengthIsPartOfThePayload() throws {
        let payloads = try (1...32).map { try Payload([UInt8](repeating: 0, count: $0)) }
        #expect(Set(payloads).count == 32)
    }

    @Test func settingAByteChangesNoOther() throws {
        for count in [1, 7, 8, 9, 31, 32] {
            var random = SeededGenerator(seed: 100)
            var bytes = random.bytes(count)
            var payload = try Payload(bytes)
            for index in 0..<count {
                payload[index] = ~bytes[index]
                bytes[index] = ~bytes[index]
                #expect(payload.bytes == bytes, "byte \(index) of \(count)")
            }
        }
    }

    @Test(arguments: [
        "0123456789abcdef", "0123456789ABCDEF", "0x0123456789abcdef", "0X0123456789AbCdEf", "01 23 45 67 89 ab cd ef",
        "01:23:45:67:89:ab:cd:ef", "01-23-45-67-89-ab-cd-ef", " 01234567 89abcdef ",
    ])
    func hexadecimalIsReadInItsUsualForms(text: String) throws {
        let expected: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF]
        #expect(try Payload(hex: text).bytes == expected)
    }

    @Test func onlyOneToThirtyTwoBytesArePayloads() {
        for count in [0, 33, 34, 1000] {
            #expect(throws: PayloadError.byteCount(count)) { try Payload([UInt8](repeating: 1, count: count)) }
            let text = String(repeating: "a5", count: count)
            #expect(throws: PayloadError.byteCount(count)) { try Payload(hex: text) }
        }
        #expect(throws: PayloadError.byteCount(0)) { try Payload(hex: "0x") }
        #expect(throws: PayloadError.byteCount(0)) { try Payload(hex: " : - ") }
    }

    @Test func halfAByteIsRefused() {
        #expect(throws: PayloadError.oddDigitCount(1)) { try Payload(hex: "a") }
        #expect(throws: PayloadError.oddDigitCount(3)) { try Payload(hex: "a b c") }
        #expect(throws: PayloadError.oddDigitCount(67)) { try Payload(hex: String(repeating: "f", count: 67)) }
    }

    /// Unicode counts fullwidth digits and an accented letter as digits; a payload does
    /// not. 0x counts only at the beginning.
    @Test(
        arguments: [
            ("0g", "g"), ("hello", "h"), ("00_11", "_"), ("00,11", ","), ("00\n11", "\n"), ("00\t11", "\t"),
            ("\u{FF11}\u{FF12}", "\u{FF11}"), ("a\u{301}0", "a\u{301}"), ("000x", "x"), ("0x0x11", "x"), ("é", "é"),
        ] as [(String, Character)])
    func whatIsNoDigitIsNamed(text: String, culprit: Character) {
        #expect(throws: PayloadError.notHexadecimal(culprit)) { try Payload(hex: text) }
    }

    @Test func errorsSayWhatIsWrongAndWhatWouldWork() {
        #expect(PayloadError.byteCount(0).description.contains("empty"))
        #expect(PayloadError.byteCount(33).description.contains("33 bytes"))
        #expect(PayloadError.oddDigitCount(5).description.contains("5 hexadecimal digits"))
        #expect(PayloadError.notHexadecimal("z").description.contains("'z'"))
        // Users of a library need advice without the options of a program.
        #expect(!PayloadError.notHexadecimal("z").description.contains("--"))
    }
}
