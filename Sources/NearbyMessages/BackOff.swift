/// How long to wait before trying again.
///
///     pause n = uniform in [½, 1] · min(longest, shortest · 2ⁿ)
///
/// and at least what was asked for, up to a limit: a service may say for how long it does not want to be asked.
public struct BackOff: Sendable {
    /// Between which pauses.
    public struct Bounds: Sendable, Hashable {
        /// The first pause, > 0.
        public var shortest = Duration.milliseconds(500)
        /// What it grows to.
        public var longest = Duration.seconds(30)

        /// 0.5 and 30 s.
        public init() {}
    }
}
