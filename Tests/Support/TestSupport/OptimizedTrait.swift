public import Testing

extension Trait where Self == ConditionTrait {
    /// Runs only if signal processing is optimized: in release builds, and with
    /// `EARSHOT_OPTIMIZED=1`. Otherwise it is up to 225 times slower.
    public static var optimized: ConditionTrait {
        #if EARSHOT_OPTIMIZED
            .enabled(if: true)
        #else
            .disabled("it needs optimized signal processing: 'make test' builds that")
        #endif
    }
}
