import Glibc

/// Processor time of this process, in seconds: what other processes do counts less than with a wall clock.
func processorSeconds() -> Double {
    seconds(CLOCK_PROCESS_CPUTIME_ID)
}

/// Time as it passes, in seconds.
func wallSeconds() -> Double {
    seconds(CLOCK_MONOTONIC)
}

private func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// The least processor time of several runs of each, in seconds: disturbances only add. The two take turns, so that what
/// disturbs one for long disturbs both.
func leastSeconds(runs: Int = 7, _ first: () -> Void, _ second: () -> Void) -> (first: Double, second: Double) {
    var least = (first: Double.infinity, second: Double.infinity)
    for _ in 0..<runs {
        let start = processorSeconds()
        first()
        let middle = processorSeconds()
        second()
        least.first = min(least.first, middle - start)
        least.second = min(least.second, processorSeconds() - middle)
    }
    return least
}

/// Takes a result, so that the compiler has to compute it.
@inline(never)
func keep(_ value: Float) {
    if value == .infinity { print("") }
}
