import ArgumentParser

@main
struct EarshotBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "earshot-bench",
        abstract: "Measures Earshot: memory, speed, sensitivity, false tokens.",
        discussion: """
            Every random number comes from a seed that is printed with the result. Build in release.

              .build/release/earshot-bench gate
              .build/release/earshot-bench sensitivity --trials 1000
            """,
        subcommands: [
            AllocationsCommand.self, KernelsCommand.self, ThroughputCommand.self, ResourcesCommand.self,
            WaterfallsCommand.self, SensitivityCommand.self, GoalsCommand.self, RepeatsCommand.self, ArraysCommand.self,
            DiscoveryCommand.self, CrowdCommand.self, AlikeCommand.self, DecodingSharesCommand.self,
            FalseTokensCommand.self,
            PeersCommand.self, WorstCommand.self, GateCommand.self, AllCommand.self,
        ])
}
