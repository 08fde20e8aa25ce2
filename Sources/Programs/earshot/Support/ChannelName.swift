import ArgumentParser
import EarshotChannel
import EarshotConsole

/// `--channel`: the name of a simulated channel.
enum ChannelName {
    static var completion: CompletionKind { .list(AirPreset.all.map(\.name)) }

    /// The channel of this name.
    /// - Throws: `ValidationError` that lists channels with a similar name.
    static func preset(_ name: String) throws(ValidationError) -> AirPreset {
        if let preset = AirPreset.named(name) { return preset }
        let beginning = name.lowercased().prefix(3)
        let near = AirPreset.all.map(\.name).filter { $0.hasPrefix(beginning) }
        let advice = near.isEmpty ? "" : " Did you mean \(near.joined(separator: ", "))?"
        throw ValidationError(
            "--channel \(name.escapedForTerminal): there is no such channel.\(advice) "
                + "'earshot simulate --list' prints all channels.")
    }
}
