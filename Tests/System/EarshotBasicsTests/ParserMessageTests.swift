import EarshotBasics
import Testing

@Suite struct ParserMessageTests {
    private static let usage = "\nUsage: earshot listen [<options>]"

    @Test(arguments: [
        ("Unknown option '--sec'. Did you mean '--mix'?", "Unknown option '--sec'."),
        ("Unexpected argument 'ble'", "Unexpected argument 'ble'. Write both media with a comma: --medium audio,ble."),
    ]) func aPoorMessageIsReplaced(message: String, better: String) {
        #expect(ParserMessage.improved("Error: " + message + Self.usage) == "Error: " + better + Self.usage)
    }

    @Test(arguments: [
        "Error: Unknown option '--secnds'. Did you mean '--seconds'?", "Error: Missing expected argument '<file>'",
        "Error: Unexpected argument 'b'",
    ]) func otherMessagesStay(message: String) {
        #expect(ParserMessage.improved(message + Self.usage) == nil)
    }

    @Test func onlyACommandThatTakesATextHasTheHintAtQuotationMarks() {
        let usage = "\nUsage: earshot publish [<text>] [<options>]"
        #expect(
            ParserMessage.improved("Error: Unexpected argument 'b'" + usage)
                == "Error: Unexpected argument 'b'. Put a text of several words in quotation marks." + usage)
    }

    @Test(arguments: [["publish", "-hello"], ["-xh"], ["decode", "-oh", "--", "-h"]])
    func lettersWithAnHAreNoHelp(arguments: [String]) {
        let word = arguments.first { $0.hasPrefix("-") } ?? ""
        #expect(
            ParserMessage.mistakenHelp(in: arguments)
                == "Error: Unknown option '\(word)'. Put '--' before a text that begins with '-'.")
    }

    @Test(arguments: [
        [], ["-h"], ["publish", "--help"], ["help", "-hello"], ["publish", "--", "-hello"], ["--with-h"],
    ])
    func helpStaysHelp(arguments: [String]) {
        #expect(ParserMessage.mistakenHelp(in: arguments) == nil)
    }
}
