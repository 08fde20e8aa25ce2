public import Testing

extension Trait where Self == ConditionTrait {
    /// Runs only in a process whose tests a filter chose, as `Tests/run.sh` starts them.
    ///
    /// A suite needs it that waits for answers or plays in real time. `swift test` starts every test of the package at once, and Swift has
    /// one thread for each processor: tests that compute hold the threads, and such a suite would miss its time.
    public static var apart: ConditionTrait {
        .enabled(
            if: CommandLine.arguments.contains("--filter"),
            "it waits, and is late beside all other tests: 'make test' runs it apart, 'swift test --filter NAME' by its name"
        )
    }
}
