import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// A real frame in white noise, in the baseband, whose noise the search has measured.
struct NoisyFrame {
    let frame: MeasuredFrame
    /// Where the frame begins, and its offset.
    let place: Candidate

    var view: FrameView { frame.view }
    var histories: ChannelHistories { frame.histories }

    /// A token's frame at an SNR in 1,500 Hz, in white noise that begins two seconds earlier.
    init(_ profile: Profile, snrDecibels: Double, relativeOffset: Double = 0, isFrame: Bool = true, seed: UInt64) throws
    {
        var random = SeededGenerator(seed: seed)
        let amplitude = isFrame ? Float(0.25) : 0
        let payload = try Payload(random.bytes(8))
        let clean = try Transmitter(profile: profile, sampleRateHertz: 48_000).samples(payload, amplitude: 0.25)
        var warped = Warped(StoredSound(clean), .steady(relativeOffset: relativeOffset, fractionalDelay: 0))
        let frame = warped.readAll()
        let lead = 48_000 * 2 + Int.random(in: 0..<1_000, using: &random)
        // A sine of peak A has the power A²/2; noise of variance σ² has σ²·1,500/24,000 in the band.
        let deviation = (0.25 * 0.25 / 2 / Double.exp(snrDecibels / 10 * .log(10)) * 16).squareRoot()
        var noise = WhiteNoise(seed: seed)
        let samples = (0..<lead + frame.count + 24_000).map { index -> Float in
            let place = index - lead
            let own = frame.indices.contains(place) ? frame[place] * amplitude / 0.25 : 0
            return own + Float(deviation) * noise.next()
        }
        var search = ProfileSearch(profile)
        var input = BasebandInput(sampleRateHertz: 48_000, profiles: [profile], keptCount: 16_000, heardCount: 64)
        for range in SeededGenerator.evenPieces(of: samples.count, length: BasebandInput.maximumBlock) {
            input.take(samples.span.extracting(range))
            while input.appendQuantum() { _ = search.searchBlocks(ChannelHistories([input.history])) }
        }
        let offsetHertz = Float(relativeOffset * Double(profile.centreHertz))
        place = Candidate(start: Double(lead) / 16, offsetHertz: offsetHertz, score: 20, dominance: 1)
        self.frame = MeasuredFrame(
            FrameView(place: place, layout: .token, format: search.format), ChannelHistories([input.history]),
            noise: search.noise)
    }
}

extension SeededGenerator {
    /// 0 ..< count in consecutive pieces of `length`, the last one shorter.
    static func evenPieces(of count: Int, length: Int) -> [Range<Int>] {
        stride(from: 0, to: count, by: length).map { $0..<min($0 + length, count) }
    }
}
