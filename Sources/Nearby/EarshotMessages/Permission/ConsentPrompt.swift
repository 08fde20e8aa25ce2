/// Asks the user a consent question, on a terminal or in a dialog. `Consent` calls it if an operation has no handler of its
/// own.
///
/// `TerminalPrompt` is for command-line programs, `SystemPrompt` of `EarshotPrompts` for those on a desktop too.
public protocol ConsentPrompt: Sendable {
    /// Why the user cannot be asked now, and what to do, such as "it is not on a terminal; start it on one". `Consent` then does
    /// not ask, the permission stays undecided, and standard error quotes this text. nil if the user can be asked.
    var obstacle: String? { get async }

    /// Shows the question and waits for the answer. `Consent` asks one question at a time.
    ///
    /// The task is cancelled if no operation needs the answer any longer, or if the answer came from elsewhere. The
    /// prompt then withdraws the question and returns nil.
    /// - Returns: true if the user allows, false if the user denies, nil if the user did not decide.
    func ask(_ question: ConsentQuestion) async -> Bool?
}
