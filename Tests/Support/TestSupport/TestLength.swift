import Foundation

/// The number of repetitions in a test: small in `make test`, which continuous integration runs, large in
/// `make test-long`.
public enum TestLength {
    /// Whether `EARSHOT_LONG_TESTS=1` is set.
    public static let isLong = ProcessInfo.processInfo.environment["EARSHOT_LONG_TESTS"] == "1"

    /// The number of repetitions for this run.
    public static func count(_ short: Int, long: Int) -> Int { isLong ? long : short }
}
