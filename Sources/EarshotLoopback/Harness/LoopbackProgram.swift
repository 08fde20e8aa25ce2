import EarshotChannel
package import EarshotCoding
package import EarshotModem

/// What a loopback test plays: tokens that nobody can guess, between two sweeps that say when everything was heard.
///
///     silence | sweep | pause | token | pause | … | token | pause | sweep | tail
///
/// Silence shows the noise floor, a sweep what the pair of loudspeaker and microphone lets through. Profiles take turns
/// in random order, so that a disturbance meets all of them and an early end leaves something to say about each. All of
/// it follows from the seed. Nothing is synthesized before it is asked for.
package struct LoopbackProgram: Sendable {
    /// What is to be played.
    package struct Order: Sendable {
        /// Samples a second.
        package var sampleRateHertz = 48_000
        /// The profiles to be tested, each once.
        package var profiles = Profile.all
        /// Tokens in each of them.
        package var tokensPerProfile = 10
        /// The peak of tokens and sweeps; full scale is 1.
        package var amplitude: Float = 0.25
        /// Where payloads, order and pauses come from.
        package var seed: UInt64 = 1

        /// Ten tokens in each profile at −12 dBFS.
        package init() {}
    }

    /// One token on its way.
    package struct Sending: Sendable {
        /// What it carries.
        package let payload: Payload
        /// The profile it is sent in.
        package let profile: Profile
        /// From its first sample to the one behind its last.
        package let samples: Range<Int>
    }

    /// Something that sounds.
    enum Item {
        case sweep(start: Int)
        case token(Sending)
    }

    /// The silence before everything.
    static let quietSeconds = 1.0
    /// Between a sweep and a token, for the room to become quiet.
    static let sweepPauseSeconds = 0.5
    /// Between tokens; short, but the echo of one is gone before the next.
    static let pauseSeconds: ClosedRange<Float> = 0.2...0.6
    /// The silence at the end, for what is late.
    static let tailSeconds = 1.0

    /// What was ordered.
    package let order: Order
    /// All tokens, in the order in which they are played.
    package let sendings: [Sending]
    /// The silence at the beginning.
    package let quiet: Range<Int>
    /// The first sweep.
    package let openingSweep: Range<Int>
    /// The last sweep.
    package let closingSweep: Range<Int>
    /// All samples.
    package let sampleCount: Int

    /// How either sweep sounds.
    let sweep: Sweep

    /// Lays out what an order comes to.
    /// - Throws: `ModemError` where the rate cannot carry the band.
    package init(_ order: Order) throws(ModemError) {
        precondition(!order.profiles.isEmpty && order.tokensPerProfile > 0, "nothing to be played")
        let rate = Double(order.sampleRateHertz)
        var transmitters: [Transmitter] = []
        for profile in order.profiles {
            transmitters.append(try Transmitter(profile: profile, sampleRateHertz: order.sampleRateHertz))
        }
        let sweep = try Sweep(sampleRateHertz: order.sampleRateHertz, amplitude: order.amplitude)
        var generator = SeededGenerator(seed: order.seed)
        let quiet = 0..<Int(Self.quietSeconds * rate)
        let openingSweep = quiet.upperBound..<quiet.upperBound + sweep.samples.count
        var position = openingSweep.upperBound + Int(Self.sweepPauseSeconds * rate)
        var sendings: [Sending] = []
        for _ in 0..<order.tokensPerProfile {
            for transmitter in transmitters.shuffled(using: &generator) {
                let end = position + transmitter.sampleCount(payloadByteCount: Payload.tokenCount)
                sendings.append(
                    Sending(
                        payload: Self.randomToken(&generator), profile: transmitter.profile, samples: position..<end))
                let pause = Float.random(in: Self.pauseSeconds, using: &generator)
                position = end + Int(Double(pause) * rate)
            }
        }
        position += Int(Self.sweepPauseSeconds * rate)
        self.order = order
        self.sweep = sweep
        self.sendings = sendings
        self.quiet = quiet
        self.openingSweep = openingSweep
        closingSweep = position..<position + sweep.samples.count
        sampleCount = closingSweep.upperBound + Int(Self.tailSeconds * rate)
    }

    /// Samples a second.
    package var sampleRateHertz: Int { order.sampleRateHertz }
    /// How long all of it takes.
    package var seconds: Double { Double(sampleCount) / Double(sampleRateHertz) }
    /// Everything that sounds: tokens and the two sweeps around them.
    var itemCount: Int { sendings.count + 2 }

    /// What sounds, in order; `index` in 0 ..< itemCount.
    func item(_ index: Int) -> Item {
        switch index {
        case 0: .sweep(start: openingSweep.lowerBound)
        case itemCount - 1: .sweep(start: closingSweep.lowerBound)
        default: .token(sendings[index - 1])
        }
    }

    /// Where something starts.
    func start(of item: Item) -> Int {
        switch item {
        case .sweep(let start): start
        case .token(let sending): sending.samples.lowerBound
        }
    }

    /// How something sounds.
    func samples(of item: Item) -> [Float] {
        switch item {
        case .sweep: return sweep.samples
        case .token(let sending):
            guard let transmitter = try? Transmitter(profile: sending.profile, sampleRateHertz: sampleRateHertz) else {
                preconditionFailure("no transmitter at \(sampleRateHertz) Hz")
            }
            return transmitter.samples(sending.payload, amplitude: order.amplitude)
        }
    }

    private static func randomToken(_ generator: inout SeededGenerator) -> Payload {
        let bytes = (0..<Payload.tokenCount).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        guard let payload = try? Payload(bytes) else { preconditionFailure("\(bytes.count) bytes of payload") }
        return payload
    }
}
