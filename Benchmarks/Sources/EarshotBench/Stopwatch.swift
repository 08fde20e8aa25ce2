import Glibc

/// Processor time of this process, in seconds: what other processes do counts less than with a wall clock.
func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// The least processor time of several runs, in seconds: disturbances only add.
func leastSeconds(runs: Int = 5, _ body: () -> Void) -> Double {
    var least = Double.infinity
    for _ in 0..<runs {
        let start = processorSeconds()
        body()
        least = min(least, processorSeconds() - start)
    }
    return least
}

/// Takes a result, so that the compiler has to compute it.
@inline(never)
func keep(_ value: Float) {
    if value == .infinity { print("") }
}
