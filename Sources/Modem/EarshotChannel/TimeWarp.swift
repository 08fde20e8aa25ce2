import RealModule

/// A map of time: for each sample of the output, a position in the input.
///
///     y[n] = x(p(n)),   p never decreasing
///
/// | course | p(n) | instantaneous frequency |
/// |---|---|---|
/// | steady | n·(1 + ε) + δ | f·(1 + ε) |
/// | motion | n − F·(d(n/F) − d(0))/c | f·(1 − v(n/F)/c) |
/// | conversion | n·F/F' | f, in another rate |
public struct TimeWarp: Sendable {
    private enum Course: Sendable {
        case steady(offset: Double, delay: Double)
        case motion(MotionPath, startMetres: Double, sampleRateHertz: Double)
        case conversion(from: Int, to: Int)
    }

    private let course: Course
    let kernel: InterpolationKernel

    /// A wrong clock, or steady motion.
    /// - Parameters:
    ///   - relativeOffset: ε, above −1; frequencies times 1 + ε, durations divided by it. No filter prevents aliasing:
    ///     input beyond F/2 · (1 − ε) folds.
    ///   - fractionalDelay: δ, 0 ..< 1.
    public static func steady(relativeOffset: Double, fractionalDelay: Double = 0) -> TimeWarp {
        precondition((0..<1).contains(fractionalDelay), "a fractional delay of \(fractionalDelay) samples")
        precondition(relativeOffset > -1, "a speed of \(1 + relativeOffset)")
        return TimeWarp(course: .steady(offset: relativeOffset, delay: fractionalDelay), kernel: .fullBand)
    }

    /// A microphone on a path: Doppler shift and time scale together. The delay at time 0 is removed, so that the sound
    /// keeps its start. Levels do not change, so that the signal-to-noise ratio keeps its meaning.
    public static func motion(_ path: MotionPath, sampleRateHertz: Int) -> TimeWarp {
        let start = path.distanceMetres(atSeconds: 0)
        return TimeWarp(
            course: .motion(path, startMetres: start, sampleRateHertz: Double(sampleRateHertz)), kernel: .fullBand)
    }

    /// A conversion to another sample rate.
    ///
    /// The filter has 128 taps at the lower rate F₁. It is flat to 0.01 dB up to 0.461·F₁ (20.3 kHz for 44.1 kHz) and
    /// 80 dB down from F₁/2 on, in both directions of the conversion, so nothing folds.
    ///
    /// Creating it takes some milliseconds; create it once and use it for any number of sounds.
    /// - Parameters:
    ///   - inputRateHertz: F.
    ///   - outputRateHertz: F'; at least F/8.
    public static func conversion(from inputRateHertz: Int, to outputRateHertz: Int) -> TimeWarp {
        precondition(inputRateHertz > 0 && outputRateHertz > 0)
        precondition(inputRateHertz <= 8 * outputRateHertz, "from \(inputRateHertz) to \(outputRateHertz) Hz")
        let course = Course.conversion(from: inputRateHertz, to: outputRateHertz)
        guard inputRateHertz != outputRateHertz else { return TimeWarp(course: course, kernel: .fullBand) }
        let share = min(1, Double(outputRateHertz) / Double(inputRateHertz))
        let halfWidth = (64 / share).rounded(.up)
        let kernel = InterpolationKernel(
            halfWidth: Int(halfWidth), phaseCount: Int((512 * share).rounded(.up)), cutoff: share / 2 - 1.25 / halfWidth
        )
        return TimeWarp(course: course, kernel: kernel)
    }

    /// p(n), the position in x of the output sample n.
    public func place(ofOutput n: Int) -> Double {
        switch course {
        case .steady(let offset, let delay):
            Double(n) * (1 + offset) + delay
        case .motion(let path, let start, let rate):
            Double(n) - TimeWarp.delay(path.distanceMetres(atSeconds: Double(n) / rate) - start, rate)
        case .conversion(let from, let to):
            Double(n * from) / Double(to)
        }
    }

    /// The real number n with p(n) = `place`: the position in y of a position in x.
    public func output(ofPlace place: Double) -> Double {
        switch course {
        case .steady(let offset, let delay):
            return (place - delay) / (1 + offset)
        case .motion(let path, let start, let rate):
            // n = place + F·(d(n/F) − d(0))/c: each step multiplies the error by v/c, at most ½.
            var n = place
            for _ in 0..<64 {
                n = place + TimeWarp.delay(path.distanceMetres(atSeconds: n / rate) - start, rate)
            }
            return n
        case .conversion(let from, let to):
            return place * Double(to) / Double(from)
        }
    }

    private static func delay(_ metres: Double, _ sampleRateHertz: Double) -> Double {
        metres * sampleRateHertz / SoundInAir.metresPerSecond
    }
}
