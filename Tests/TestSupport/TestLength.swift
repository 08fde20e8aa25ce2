import Foundation

/// How much a test repeats: little in `make test`, which continuous integration runs, much in `make test-long`.
public enum TestLength {
    /// Whether `EARSHOT_LONG_TESTS=1` is set.
    public static let isLong = ProcessInfo.processInfo.environment["EARSHOT_LONG_TESTS"] == "1"

    /// The number of repetitions for the run at hand.
    public static func count(_ short: Int, long: Int) -> Int { isLong ? long : short }
}
