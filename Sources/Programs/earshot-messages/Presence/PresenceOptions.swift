import ArgumentParser

/// The options of a command that lists devices or beacons: when it ends, and how it prints.
struct PresenceOptions: ParsableArguments {
    @OptionGroup var end: EndOptions

    @Option(parsing: .unconditional, help: ArgumentHelp("End when this many were found.", valueName: "count"))
    var count: Int?

    @Flag(help: "Print lines of JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "On standard error print errors only: no list, no notes.")
    var quiet = false

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count \(count): give 1 or more.") }
    }
}
