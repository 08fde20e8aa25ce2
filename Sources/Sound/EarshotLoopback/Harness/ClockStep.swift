import RealModule

/// Samples that were lost or inserted between the two sweeps, from the starts of the tokens between them.
///
///     rᵢ = heardᵢ − b·sentᵢ − (median of the profile),   b: slope of the line through the two sweeps
///     gᵢ(t) = [sentᵢ > t] − (sentᵢ − opening)/(closing − opening),   less its mean in the profile
///     F(t) = A/max((Σ zᵢ² − A)/(ν − 1), mean of (2/σ)²),   A = (Σ zᵢ·gᵢ/σ)²/Σ (gᵢ/σ)²,   zᵢ = rᵢ/σ within ±3
///
/// Two clocks alone put all starts on the line. A step of h samples at the time t bends them: r = h·g(t). F is the
/// variance that the best step explains over the variance that is left, at least that of starts with a deviation of 2 samples; σ is
/// the profile's own deviation, ν the number of tokens less that of profiles. The variance of g is 1/12 at any t, so n tokens show
/// steps with h²·n/12 > 40·σ². Cost: the square of the number of tokens.
enum ClockStep {
    /// F above which there is a step. The maximum over t in 5,000 simulated recordings without one, three profiles with deviations of
    /// 3, 6 and 8 samples: above 30 for one in 1,000 with 18 tokens and one in 5,000 with 24, above 27 for none with 45 or more. So
    /// 40 is 1.3 times the limit of one in 5,000. Fewer tokens have larger maxima: 70 with 9.
    static let minimumF = 40.0
    /// The minimum of ν.
    static let minimumFreedom = 15
    /// The minimum deviation of starts, in samples.
    static let minimumDeviationSamples = 2.0
    /// 1/Φ⁻¹(3/4): the standard deviation over the median deviation of a normal distribution.
    private static let deviationPerMedian = 1.4826
    /// Starts that differ by more deviations are limited to them: a start may be that of an echo.
    private static let maximumDeviations = 3.0

    /// Whether there is a step; false if there are too few tokens to tell.
    /// - Parameters:
    ///   - clock: the line through the two sweeps.
    ///   - sweepStarts: the samples of the program at which the sweeps begin.
    static func isPresent(in points: [FrameClock.Point], clock: ClockDifference, sweepStarts: Range<Int>) -> Bool {
        let opening = Double(sweepStarts.lowerBound)
        let duration = Double(sweepStarts.count)
        let profiles = Dictionary(grouping: points, by: \.profileName).values.map { group in
            Profile(group, slope: clock.ppm * 1e-6, opening: opening, durationSamples: duration)
        }
        let freedom = points.count - profiles.count
        guard freedom >= minimumFreedom else { return false }
        let total = profiles.reduce(0) { $0 + $1.energy }
        let floor = profiles.reduce(0) { $0 + $1.minimumEnergy } / Double(points.count)
        return points.contains { point in
            var (product, energy) = (0.0, 0.0)
            for profile in profiles {
                let part = profile.fit(stepAfter: point.sent)
                product += part.product
                energy += part.energy
            }
            guard energy > 0 else { return false }
            let explained = product * product / energy
            return explained > minimumF * max((total - explained) / Double(freedom - 1), floor)
        }
    }

    /// The tokens of one profile, which finds its frames with its own constant error.
    private struct Profile {
        private let sent: [Double]
        /// Places between the sweeps, 0 ... 1.
        private let places: [Double]
        private let deviationSamples: Double
        private let z: [Double]

        /// Σ z².
        var energy: Double { z.reduce(0) { $0 + $1 * $1 } }
        /// The least that Σ z² can be expected to be.
        var minimumEnergy: Double {
            let least = minimumDeviationSamples / deviationSamples
            return Double(z.count) * least * least
        }

        init(_ points: [FrameClock.Point], slope: Double, opening: Double, durationSamples: Double) {
            sent = points.map(\.sent)
            places = points.map { ($0.sent - opening) / durationSamples }
            let excess = points.map { $0.heard - $0.sent - slope * ($0.sent - opening) }
            let centre = ClockStep.median(excess)
            let spread = ClockStep.median(excess.map { abs($0 - centre) })
            let deviation = max(deviationPerMedian * spread, minimumDeviationSamples)
            z = ClockStep.centred(
                excess.map { min(max(($0 - centre) / deviation, -maximumDeviations), maximumDeviations) })
            deviationSamples = deviation
        }

        /// Σ z·g/σ and Σ (g/σ)² for a step after `time`.
        func fit(stepAfter time: Double) -> (product: Double, energy: Double) {
            let g = ClockStep.centred(zip(sent, places).map { sent, place in (sent > time ? 1 : 0) - place })
            let product = zip(z, g).reduce(0) { $0 + $1.0 * $1.1 }
            let energy = g.reduce(0) { $0 + $1 * $1 }
            return (product / deviationSamples, energy / (deviationSamples * deviationSamples))
        }
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    private static func centred(_ values: [Double]) -> [Double] {
        let mean = values.reduce(0, +) / Double(values.count)
        return values.map { $0 - mean }
    }
}
