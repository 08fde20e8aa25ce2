public import Testing

extension Trait where Self == ConditionTrait {
    /// Runs only in a process whose tests a filter chose, as `Tests/run.sh` starts them.
    ///
    /// A suite that waits for answers or plays in real time needs this trait. `swift test` starts every test of the
    /// package at once, and Swift has one thread for each processor: tests that compute occupy the threads, and such a
    /// suite would miss its deadlines.
    public static var apart: ConditionTrait {
        .enabled(
            if: CommandLine.arguments.contains("--filter"),
            "it waits, and is late beside all other tests: 'make test' runs it apart, 'swift test --filter NAME' by its name"
        )
    }
}
