import EarshotBasics
import EarshotChannel
package import EarshotCoding
package import EarshotModem
import RealModule

/// The sound of a loopback test: random tokens between two sweeps, which give the times.
///
///     silence | sweep | pause | token | pause | … | token | pause | sweep | tail
///
/// The silence shows the noise floor, a sweep the response of loudspeaker and microphone. Profiles take turns in random
/// order, so that a disturbance affects all of them, and an early end leaves results for each. Everything is derived
/// from the seed. With several levels, the loudest comes first, with all of its tokens. Samples are synthesized on
/// request.
package struct LoopbackProgram: Sendable {
    /// The order for a program.
    package struct Order: Sendable {
        /// The sample rate in hertz.
        package var sampleRateHertz = 48_000
        /// The profiles to test, each once.
        package var profiles = Profile.all
        /// The number of tokens in each profile.
        package var tokensPerProfile = 10
        /// The peak of the loudest tokens and of the sweeps, as an amplitude; full scale is 1.
        package var amplitude: Float = 0.25
        /// The levels of the tokens relative to that, in decibels, 0 or below; at each level every profile has its
        /// tokens.
        package var stepsDecibels = [0.0]
        /// The seed of payloads, order and pauses.
        package var seed: UInt64 = 1

        /// Ten tokens in each profile at −12 dBFS.
        package init() {}
    }

    /// One token of the program.
    package struct Sending: Sendable {
        /// The payload.
        package let payload: Payload
        /// The profile.
        package let profile: Profile
        /// The level relative to the sweeps, in decibels; one of the order's steps.
        package let stepDecibels: Double
        /// Its samples in the program.
        package let samples: Range<Int>
    }

    /// A sound of the program.
    enum Item {
        case sweep(start: Int)
        case token(Sending)
    }

    /// Seconds of silence before everything.
    static let quietSeconds = 1.0
    /// Seconds between a sweep and a token, for the room to become quiet.
    static let sweepPauseSeconds = 0.5
    /// Seconds between tokens: short, but the echo of one is gone before the next.
    static let pauseSeconds: ClosedRange<Float> = 0.2...0.6
    /// Seconds of silence at the end, for late sound.
    static let tailSeconds = 1.0

    /// The order of the program.
    package let order: Order
    /// All tokens, in the order in which they are played.
    package let sendings: [Sending]
    /// The samples of silence at the beginning.
    package let quiet: Range<Int>
    /// The samples of the first sweep.
    package let openingSweep: Range<Int>
    /// The samples of the last sweep.
    package let closingSweep: Range<Int>
    /// The number of samples.
    package let sampleCount: Int

    /// The sound of either sweep.
    let sweep: Sweep

    /// Lays out the program of an order.
    /// - Throws: `ModemError` if the rate cannot carry the band.
    package init(_ order: Order) throws(ModemError) {
        precondition(
            !order.profiles.isEmpty && order.tokensPerProfile > 0 && !order.stepsDecibels.isEmpty,
            "nothing to be played")
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
        let steps = order.stepsDecibels.flatMap { [Double](repeating: $0, count: order.tokensPerProfile) }
        for step in steps {
            for transmitter in transmitters.shuffled(using: &generator) {
                let end = position + transmitter.sampleCount(payloadByteCount: Payload.tokenCount)
                sendings.append(
                    Sending(
                        payload: Self.randomToken(&generator), profile: transmitter.profile, stepDecibels: step,
                        samples: position..<end))
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

    /// The sample rate in hertz.
    package var sampleRateHertz: Int { order.sampleRateHertz }
    /// The length of the program in seconds.
    package var seconds: Double { Double(sampleCount) / Double(sampleRateHertz) }
    /// The number of sounds: the tokens and the two sweeps around them.
    var itemCount: Int { sendings.count + 2 }

    /// A sound by its place in the order; `index` in 0 ..< itemCount.
    func item(_ index: Int) -> Item {
        switch index {
        case 0: .sweep(start: openingSweep.lowerBound)
        case itemCount - 1: .sweep(start: closingSweep.lowerBound)
        default: .token(sendings[index - 1])
        }
    }

    /// The first sample of a sound.
    func start(of item: Item) -> Int {
        switch item {
        case .sweep(let start): start
        case .token(let sending): sending.samples.lowerBound
        }
    }

    /// The samples of a sound.
    func samples(of item: Item) -> [Float] {
        switch item {
        case .sweep: return sweep.samples
        case .token(let sending):
            guard let transmitter = try? Transmitter(profile: sending.profile, sampleRateHertz: sampleRateHertz) else {
                preconditionFailure("no transmitter at \(sampleRateHertz) Hz")
            }
            let gain = Float.pow(10, Float(sending.stepDecibels) / 20)
            return transmitter.samples(sending.payload, amplitude: gain * order.amplitude)
        }
    }

    private static func randomToken(_ generator: inout SeededGenerator) -> Payload {
        let bytes = (0..<Payload.tokenCount).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        guard let payload = try? Payload(bytes) else { preconditionFailure("\(bytes.count) bytes of payload") }
        return payload
    }
}
