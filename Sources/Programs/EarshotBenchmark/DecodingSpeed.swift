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

    /// - Parameters:
    ///   - seconds: the length of a pass; a multiple of the traffic's period.
    ///   - profile: nil for all.
    package init(_ traffic: Traffic, seconds: Int, profile: Profile?) throws {
        self.traffic = traffic
        profileName = profile?.name ?? "all"
        samples = try traffic.samples(seconds: seconds)
        listening = try Listening(profiles: profile.map { [$0] } ?? Profile.all)
    }

    /// Decodes the whole recording once more.
    package func run() {
        let start = processorSeconds()
        listening.push(samples)
        minimumSeconds = min(minimumSeconds, processorSeconds() - start)
    }

    /// Processor time for a second of sound, in seconds.
    package var secondsPerSecond: Double { minimumSeconds / (Double(samples.count) / 48_000) }
}
