/// Samples that were lost or inserted between the two sweeps, from the starts of the tokens between them.
///
///     rᵢ = heardᵢ − b·sentᵢ − (median of the profile),   b: slope of the line through the two sweeps
///     gᵢ(t) = [sentᵢ > t] − (sentᵢ − opening)/(closing − opening),   less its mean in the profile
///     F(t) = A/max((Σ zᵢ² − A)/(ν − 1), mean of (2/σ)²),   A = (Σ zᵢ·gᵢ/σ)²/Σ (gᵢ/σ)²,   zᵢ = rᵢ/σ within ±3
///
/// Two clocks alone put all starts on the line. A step of h samples at the time t bends them: r = h·g(t). F is the
/// variance that the best step explains over the variance that is left, at least that of starts with a deviation of 2 samples; σ is
/// the profile's own deviation, ν the number of tokens less that of profiles. The variance of g is 1/12 at any t, so n tokens show
/// steps with h²·n/12 > 40·σ². Cost: sorting the tokens.
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
    ///   - points: the tokens that were decoded, in any order.
    ///   - clock: the line through the two sweeps.
    ///   - sweepStarts: the samples of the program at which the sweeps begin.
    static func isPresent(in points: [FrameClock.Point], clock: ClockDifference, sweepStarts: Range<Int>) -> Bool {
        var profiles = Dictionary(grouping: points, by: \.profileName).values.map { group in
            Profile(group, slope: clock.ppm * 1e-6, sweepStarts)
        }
        let freedom = points.count - profiles.count
        guard freedom >= minimumFreedom else { return false }
        let total = profiles.reduce(0) { $0 + $1.power }
        let floor = profiles.reduce(0) { $0 + $1.minimumPower } / Double(points.count)
        // t moves from the end to the beginning, past one token at a time.
        let backwards = profiles.indices.flatMap { index in profiles[index].tokens.map { (index, $0) } }
            .sorted { $0.1.sent > $1.1.sent }
        return backwards.contains { index, token in
            profiles[index].stepBefore(token)
            let product = profiles.reduce(0) { $0 + $1.product }
            let energy = profiles.reduce(0) { $0 + $1.energy }
            let explained = energy > 0 ? product * product / energy : 0
            return explained > minimumF * max((total - explained) / Double(freedom - 1), floor)
        }
    }

    /// The tokens of one profile, which finds its frames with its own constant error.
    private struct Profile {
        struct Token {
            let sent: Double
            /// The place between the sweeps, 0 ... 1.
            let place: Double
            /// Less the mean of the profile.
            let z: Double
        }

        let tokens: [Token]
        /// Σ z².
        let power: Double
        /// The Σ z² of starts with the minimum deviation.
        let minimumPower: Double
        private let deviationSamples: Double
        /// Σ place, Σ place², and Σ z·place.
        private let places, placePower, placeProduct: Double
        /// The number of tokens after t, and their Σ place and Σ z.
        private var (laterCount, laterPlaces, laterZ) = (0.0, 0.0, 0.0)

        init(_ points: [FrameClock.Point], slope: Double, _ sweepStarts: Range<Int>) {
            let opening = Double(sweepStarts.lowerBound)
            let excess = points.map { $0.heard - $0.sent - slope * ($0.sent - opening) }
            let centre = Spread(excess)?.median ?? 0
            let spread = Spread(excess.map { abs($0 - centre) })?.median ?? 0
            let deviation = max(deviationPerMedian * spread, minimumDeviationSamples)
            let z = excess.map { min(max(($0 - centre) / deviation, -maximumDeviations), maximumDeviations) }
            let mean = z.reduce(0, +) / Double(z.count)
            tokens = zip(points, z).map { point, z in
                Token(sent: point.sent, place: (point.sent - opening) / Double(sweepStarts.count), z: z - mean)
            }
            power = tokens.reduce(0) { $0 + $1.z * $1.z }
            let least = minimumDeviationSamples / deviation
            minimumPower = Double(z.count) * least * least
            deviationSamples = deviation
            places = tokens.reduce(0) { $0 + $1.place }
            placePower = tokens.reduce(0) { $0 + $1.place * $1.place }
            placeProduct = tokens.reduce(0) { $0 + $1.z * $1.place }
        }

        /// Moves t from after a token to before it.
        mutating func stepBefore(_ token: Token) {
            laterCount += 1
            laterPlaces += token.place
            laterZ += token.z
        }

        /// Σ z·g/σ. The means of z are 0, so that of g does not matter.
        var product: Double { (laterZ - placeProduct) / deviationSamples }

        /// Σ (g/σ)².
        var energy: Double {
            let sum = laterCount - places
            let power = laterCount - 2 * laterPlaces + placePower
            return (power - sum * sum / Double(tokens.count)) / (deviationSamples * deviationSamples)
        }
    }
}
