package import EarshotModem

/// Measures how fast one core decodes one kind of sound.
package final class DecodingSpeed {
    package let traffic: Traffic
    /// The name of the profile that the receiver listens for; "all" if it listens for all.
    package let profileName: String
    private let samples: [Float]
    private let listening: Listening
    /// The minimum processor time of a pass, in seconds: other work on the machine only adds.
    private var minimumSeconds = Double.infinity
    private var ratios = PairedRatios()

    /// - Parameters:
    ///   - seconds: the length of a pass; a multiple of the traffic's period.
    ///   - profile: nil for all.
    package init(_ traffic: Traffic, seconds: Int, profile: Profile?) throws {
        self.traffic = traffic
        profileName = profile?.name ?? "all"
        samples = try traffic.samples(seconds: seconds)
        listening = try Listening(profiles: profile.map { [$0] } ?? Profile.all)
    }

    /// Begins another measurement of `relative`.
    package func begin() { ratios.begin() }

    /// Decodes the whole recording once more.
    /// - Parameter loopSeconds: the processor time of the loop just before, for a second of sound, in seconds.
    package func run(afterLoop loopSeconds: Double) {
        let start = processorSeconds()
        listening.push(samples)
        let seconds = processorSeconds() - start
        minimumSeconds = min(minimumSeconds, seconds)
        ratios.add(seconds / soundSeconds / loopSeconds)
    }

    /// The receiver's time over that of the loop for as much sound.
    package var relative: Double { ratios.value }

    private var soundSeconds: Double { Double(samples.count) / 48_000 }

    /// Processor time for a second of sound, in seconds.
    package var secondsPerSecond: Double { minimumSeconds / soundSeconds }
}
