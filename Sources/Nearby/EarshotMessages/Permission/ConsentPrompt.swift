/// Asks the user a consent question, on a terminal or in a dialog. `Consent` calls it if an operation has no handler of its
/// own.
///
/// The library asks nothing by default. `TerminalPrompt` is for command-line programs.
public protocol ConsentPrompt: Sendable {
    /// Whether the user can be asked now. If it is false, `Consent` does not ask and the permission stays undecided.
    var isAvailable: Bool { get }

    /// Shows the question and waits for the answer. `Consent` asks one question at a time.
    ///
    /// The task is cancelled if no operation needs the answer any more, or if the answer came from elsewhere. The prompt then
    /// takes the question back and returns nil.
    /// - Returns: true if the user allows, false if the user denies, nil if the user did not decide.
    func ask(_ question: ConsentQuestion) async -> Bool?
}
