import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotDSP
import EarshotLoopback
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

@Suite(.optimized) struct MotionChainTests {
    /// Hands move at random, and no polynomial follows their offset. In `standard`, at 0.6 m/s and 10 dB, 54 of 100
    /// frames arrived without chains. In `far`, at 0.3 m/s and −9.5 dB, 11 of 100 arrived along a single path, before
    /// all paths counted (seed 7001). Now 99 and 95 % arrive. At least 18 and 15 of 20 must: the earlier shares do so
    /// with a chance below 10⁻⁴ in both cases, and today's miss it by chance 3 times in a thousand at most.
    @Test(arguments: zip(["hand-fast", "hand"], [(Profile.standard, 10, 18), (.far, -9.5, 15)]))
    func framesInAHandAreDecoded(hand: String, scene row: (profile: Profile, snrDecibels: Double, count: Int)) throws {
        var scene = AirScene()
        (scene.profile, scene.snrDecibels) = (row.profile, row.snrDecibels)
        scene.air = try #require(AirPreset.named(hand)).air
        let tally = try AirTally.of(scene, trialCount: 20, seed: 91)
        #expect(tally.decodedCount >= row.count, "\(tally.decodedCount), seed 91")
        #expect(tally.wrongCount == 0, "seed 91")
    }

    /// The receiver reads the length header of a `far` frame from a moving hand, where the header's tones are beside
    /// the line through the sync tones. Before it read headers along all paths, 82 of 100 frames of either length
    /// arrived at 20 dB; now 100 do (seed 7002). All but one of 20 must arrive, which had a chance of 0.1 before.
    @Test(arguments: [1, 32]) func headersInAHandAreRead(byteCount: Int) throws {
        var scene = AirScene()
        (scene.profile, scene.snrDecibels, scene.payloadByteCount) = (.far, 20, byteCount)
        scene.air = try #require(AirPreset.named("hand")).air
        let tally = try AirTally.of(scene, trialCount: 20, seed: 91)
        #expect(tally.decodedCount >= 19, "\(tally.decodedCount), seed 91")
        #expect(tally.wrongCount == 0, "seed 91")
    }

    /// A long frame from a person who walks past ends half a symbol away from the place that a constant offset
    /// predicts. With one search 55 of 100 arrive, and along the track that it found 79 (`standard`, 32 bytes, −8 dB,
    /// 150 trials, seed 7002). At least 26 of 40 must arrive, which had a chance of 0.13 before and has 0.98 now.
    @Test func longFramesAreSearchedAlongTheirTrack() throws {
        var scene = AirScene()
        (scene.profile, scene.snrDecibels, scene.payloadByteCount) = (.standard, -8, 32)
        scene.air = try #require(AirPreset.named("walk")).air
        let tally = try AirTally.of(scene, trialCount: 40, seed: 91)
        #expect(tally.decodedCount >= 26, "\(tally.decodedCount), seed 91")
        #expect(tally.wrongCount == 0, "seed 91")
    }

    /// Weights and the best path are those of the definition, for frames of every number of segments.
    @Test(arguments: Profile.all, [1, 8, 13, 32]) func equalsTheDefinition(profile: Profile, byteCount: Int) {
        var random = SeededGenerator(seed: 93)
        let format = BasebandFormat(profile: profile)
        let layout = FrameLayout(payloadByteCount: byteCount)
        let symbolCount = layout.toneCount
        let history = BasebandHistory(keptCount: (symbolCount + 4) * format.samplesPerSymbol)
        let noise = random.complex((symbolCount + 3) * format.samplesPerSymbol)
        history.append(noise, 0..<noise.count)
        var view = MeasuredFrame.token(profile, start: 64, in: history).view
        view = FrameView(place: view.place, layout: layout, format: format)
        let measured = MeasuredFrame(
            view, ChannelHistories([history]), noise: ProfileNoise(format: format, channelCount: 1))
        var table = MotionTable(profiles: Profile.all, likelihood: FrameLikelihood())
        let index = Profile.all.firstIndex { $0.name == profile.name } ?? 0
        table.measure(view, along: view.track(), symbolCount: symbolCount, profileIndex: index, measured.measurer)
        var chain = MotionChain(profiles: Profile.all)
        let best = chain.runForward(table, format, symbolCount: symbolCount)
        let twin = ChainTwin(table.values, tableWidth: table.width, format, symbolCount)
        #expect(abs(best - twin.best) < 1e-3 * max(1, abs(twin.best)), "seed 93")
        var count = 0
        chain.runBackward(table, symbolCount: symbolCount) { symbol, weights in
            count += 1
            #expect(symbol == symbolCount - count)
            for (weight, expected) in zip(weights, twin.weights(symbol)) {
                #expect(abs(weight - expected) < 1e-3, "symbol \(symbol), seed 93")
            }
        }
        #expect(count == symbolCount)
        _ = chain.runForward(table, format, symbolCount: symbolCount)
        chain.trace(table, symbolCount: symbolCount)
        for symbol in 0..<symbolCount {
            #expect(abs(chain.steps[symbol] - twin.steps[symbol]) < 1e-4, "\(symbol), seed 93")
        }
    }
}

/// The chain by its definition, with its intermediate values.
private struct ChainTwin {
    private let (finer, width, rateReach): (Int, Int, Int)
    private let cost: Float
    private var values: [[Float]] = []
    /// A and B by symbol, rate and offset.
    private var (forward, backward): ([[[Float]]], [[[Float]]]) = ([], [])

    init(_ table: [Float], tableWidth: Int, _ format: BasebandFormat, _ symbolCount: Int) {
        // δ = 2.93 Hz, at most 330 Hz a second, and γ = 1 for 21.3 ms.
        let delta = 2.929_687_5
        let seconds = format.profile.symbolSeconds
        finer = Int((format.profile.toneSpacingHertz / 4 / delta).rounded())
        width = (tableWidth - 1) * finer + 1
        rateReach = Int((330 * seconds / delta).rounded(.up))
        cost = Float(0.021_333 / seconds)
        for symbol in 0..<symbolCount {
            values.append(
                (0..<width).map { step in
                    let (low, part) = step.quotientAndRemainder(dividingBy: finer)
                    let own = table[symbol * tableWidth + low]
                    return part == 0
                        ? own : own + (table[symbol * tableWidth + low + 1] - own) * Float(part) / Float(finer)
                })
        }
        let rates = 2 * rateReach + 1
        let none = [[Float]](repeating: [Float](repeating: -1e6, count: width), count: rates)
        forward = [[[Float]]](repeating: none, count: symbolCount)
        backward = forward
        for rate in 0..<rates {
            forward[0][rate] = values[0]
            backward[symbolCount - 1][rate] = [Float](repeating: 0, count: width)
        }
        for symbol in 1..<symbolCount {
            for rate in 0..<rates {
                for step in 0..<width {
                    let source = step - (rate - rateReach)
                    guard source >= 0, source < width else { continue }
                    forward[symbol][rate][step] =
                        values[symbol][step] + best(rate) { forward[symbol - 1][$0][source] }
                }
            }
        }
        for symbol in stride(from: symbolCount - 2, through: 0, by: -1) {
            for rate in 0..<rates {
                for step in 0..<width {
                    backward[symbol][rate][step] = best(rate) { next in
                        let place = step + next - rateReach
                        return place >= 0 && place < width
                            ? backward[symbol + 1][next][place] + values[symbol + 1][place] : -1e6
                    }
                }
            }
        }
    }

    private func near(_ rate: Int) -> ClosedRange<Int> { max(rate - 1, 0)...min(rate + 1, 2 * rateReach) }

    private func best(_ rate: Int, _ score: (Int) -> Float) -> Float {
        near(rate).map { score($0) - ($0 == rate ? 0 : cost) }.max() ?? -1e6
    }

    var best: Float { forward[forward.count - 1].joined().max() ?? -1e6 }

    /// w of a symbol at the table's offsets.
    func weights(_ symbol: Int) -> [Float] {
        let others = (0..<width).map { step in
            (0...2 * rateReach).map { forward[symbol][$0][step] + backward[symbol][$0][step] }.max()!
                - values[symbol][step]
        }
        let highest = others.max()!
        let raw = stride(from: 0, to: width, by: finer).map { step in
            Float.exp(0.5 * (others[max(0, step - finer / 2)...min(width - 1, step + finer / 2)].max()! - highest))
        }
        return raw.map { $0 / raw.reduce(0, +) }
    }

    /// The best path, smoothed over three symbols, in the table's steps.
    var steps: [Float] {
        let last = forward.count - 1
        var (rate, step) = (0, 0)
        for other in 0...2 * rateReach {
            for place in 0..<width where forward[last][other][place] > forward[last][rate][step] {
                (rate, step) = (other, place)
            }
        }
        var path = [Float](repeating: 0, count: last + 1)
        for symbol in stride(from: last, through: 0, by: -1) {
            path[symbol] = Float(step - width / 2) / Float(finer)
            guard symbol > 0 else { break }
            step -= rate - rateReach
            let (row, own) = (forward[symbol - 1], rate)
            rate = near(own).max { row[$0][step] - ($0 == own ? 0 : cost) < row[$1][step] - ($1 == own ? 0 : cost) }!
        }
        return path.indices.map { (path[max(0, $0 - 1)] + path[$0] + path[min(last, $0 + 1)]) / 3 }
    }
}
