import Glibc

/// The processor time of this process, in seconds: other processes disturb it less than a wall clock.
package func processorSeconds() -> Double {
    seconds(CLOCK_PROCESS_CPUTIME_ID)
}

/// The processor time of this thread, in seconds.
package func threadSeconds() -> Double {
    seconds(CLOCK_THREAD_CPUTIME_ID)
}

/// The time of a wall clock, in seconds.
package func wallSeconds() -> Double {
    seconds(CLOCK_MONOTONIC)
}

private func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// The minimum processor time of several runs of each, in seconds: disturbances only add. The two alternate, so that a
/// long disturbance affects both.
package func minimumSeconds(runs: Int = 7, _ first: () -> Void, _ second: () -> Void) -> (first: Double, second: Double)
{
    var minimum = (first: Double.infinity, second: Double.infinity)
    for _ in 0..<runs {
        let start = processorSeconds()
        first()
        let middle = processorSeconds()
        second()
        minimum.first = min(minimum.first, middle - start)
        minimum.second = min(minimum.second, processorSeconds() - middle)
    }
    return minimum
}

/// Takes a result, so that the compiler has to compute it.
@inline(never)
package func keep(_ value: Float) {
    if value == .infinity { print("") }
}
