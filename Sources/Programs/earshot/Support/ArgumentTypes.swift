import ArgumentParser
import EarshotAudio
import EarshotModem

/// A profile as the command line names it.
struct ProfileName: ExpressibleByArgument, Hashable {
    let profile: Profile

    init?(argument: String) {
        guard let profile = Profile.named(argument.lowercased()) else { return nil }
        self.profile = profile
    }

    init(_ profile: Profile) {
        self.profile = profile
    }

    var defaultValueDescription: String { profile.name }
    static var allValueStrings: [String] { Profile.all.map(\.name) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

    static func == (a: ProfileName, b: ProfileName) -> Bool { a.profile.name == b.profile.name }

    func hash(into hasher: inout Hasher) {
        hasher.combine(profile.name)
    }

    /// The named profiles, each once and in the library's order; all profiles if `names` is empty.
    static func selected(_ names: [ProfileName]) -> [Profile] {
        names.isEmpty ? Profile.all : Profile.all.filter { names.contains(ProfileName($0)) }
    }
}

/// The sample format of a WAV file to write.
struct FormatArgument: ExpressibleByArgument {
    let format: SampleFormat

    init?(argument: String) {
        guard let format = SampleFormat(rawValue: argument.lowercased()) else { return nil }
        self.format = format
    }

    init(_ format: SampleFormat) {
        self.format = format
    }

    var defaultValueDescription: String { format.rawValue }
    static var allValueStrings: [String] { SampleFormat.allCases.map(\.rawValue) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension RawFormat {
    /// Shells offer the encodings for `--raw`; a colon would end the word in some of them.
    static var completion: CompletionKind { .list(SampleEncoding.allCases.map(\.rawValue)) }

    /// Parses `--raw`.
    /// - Throws: `ValidationError`, because the text comes from the command line.
    static func argument(_ text: String) throws -> RawFormat {
        do {
            return try RawFormat(parsing: text)
        } catch {
            throw ValidationError(error.description)
        }
    }
}
