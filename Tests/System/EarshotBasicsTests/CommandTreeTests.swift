import Testing

@testable import EarshotBasics

struct CommandTreeTests {
    private let program = CommandTree(
        "service",
        [CommandTree("serve", []), CommandTree("key", [CommandTree("create", []), CommandTree("list", [])])])

    @Test(arguments: [
        ("serv", "service has no command 'serv'. Did you mean 'serve'? 'service --help' lists the commands."),
        (
            "key lst demo",
            "service key has no command 'lst'. Did you mean 'list'? 'service key --help' lists the commands."
        ),
        (
            "help key lst",
            "service key has no command 'lst'. Did you mean 'list'? 'service key --help' lists the commands."
        ),
        ("key destroy", "service key has no command 'destroy'. 'service key --help' lists the commands."),
    ])
    func aMistypedCommandHasASuggestion(words: String, sentence: String) {
        #expect(program.mistake(in: words.split(separator: " ").map(String.init)) == sentence)
    }

    @Test(arguments: [
        "", "serve", "serve demo", "key", "key create demo", "key --json lst", "help key", "--help", "help",
    ])
    func commandsOptionsAndArgumentsAreNoMistakes(words: String) {
        #expect(program.mistake(in: words.split(separator: " ").map(String.init)) == nil)
    }
}
