import EarshotChannel
package import EarshotLoopback
import EarshotModem

/// The project's promise for 8-byte tokens in simulated air: a scene, and the minimum share of tokens decoded.
///
/// The tests hold the receiver to these, and the benchmarks measure how far above them it is. A long test
/// has 120 trials, and a receiver as good as the measured one fails it with a probability P below 10⁻⁴; a
/// short one has 60, and P is below 10⁻³. Measured: 1,000 trials a row, seeds from 5,000,011 on; q is the
/// upper end of the 95 % interval of the share lost:
///
/// | rows | lost | q | minimum share | may lose | P |
/// |---|---|---|---|---|---|
/// | white noise | 1, 1, 0 | 0.5 % | 90 % | 12 of 120 | below 10⁻⁹ |
/// | `fast`, room B | 5 | 1.1 % | 90 % | 12 of 120 | 6·10⁻¹⁰ |
/// | steady tone | 0 | 0.3 % | 95 % | 6 of 120 | 10⁻⁷ |
/// | all others | 0 | 0.3 % | 96 % | 4 of 120 | 3·10⁻⁵ |
///
/// P is Σ C(120, j)·q^j·(1 − q)^(120 − j) over every j above the limit. With 60 trials it is 8·10⁻⁴ for 96 % (2 may be
/// lost), and less for the others.
package struct AirPromise: Sendable, CustomStringConvertible {
    /// The scene in words, in Markdown.
    package let name: String
    /// The minimum share, 0 ... 1.
    package let minimumShare: Double
    /// The scene.
    package let scene: AirScene

    private init(_ name: String, _ minimumShare: Double, _ change: (inout AirScene) -> Void) {
        self.name = name
        self.minimumShare = minimumShare
        var scene = AirScene()
        change(&scene)
        self.scene = scene
    }

    /// The same as `name`.
    package var description: String { name }

    /// All promises.
    package static let all: [AirPromise] = [
        AirPromise("`standard`, white noise, −7.5 dB", 0.9) { $0.snrDecibels = -7.5 },
        AirPromise("`far`, white noise, −10.5 dB", 0.9) {
            $0.profile = .far
            $0.snrDecibels = -10.5
        },
        AirPromise("`fast`, white noise, −4.5 dB", 0.9) {
            $0.profile = .fast
            $0.snrDecibels = -4.5
        },
        AirPromise("Doppler +0.5 %", 0.96) { $0.air.relativeOffset = 0.005 },
        AirPromise("Doppler −0.5 %", 0.96) { $0.air.relativeOffset = -0.005 },
        AirPromise("clocks +300 ppm apart", 0.96) { $0.air.relativeOffset = 300e-6 },
        AirPromise("clocks −300 ppm apart", 0.96) { $0.air.relativeOffset = -300e-6 },
        AirPromise("44.1 kHz", 0.96) { $0.sampleRateHertz = 44_100 },
        AirPromise("−60 dBFS", 0.96) { $0.amplitude = 0.001 },
        AirPromise("12 dB of clipping", 0.96) { $0.air.overdriveDecibels = 12 },
        AirPromise("room A", 0.96) { $0.air.room = Room.a },
        AirPromise("room B", 0.96) { $0.air.room = Room.b },
        AirPromise("`fast`, room B, 25 dB", 0.9) {
            $0.profile = .fast
            $0.snrDecibels = 25
            $0.air.room = Room.b
        },
        AirPromise("steady tone 10 dB above the signal", 0.95) { $0.air.toneLevelsDecibels = [10] },
        AirPromise("20 dB tilt", 0.96) { $0.air.loudspeaker = .tilt(decibels: 20) },
        AirPromise("20 dB tilt the other way", 0.96) { $0.air.loudspeaker = .tilt(decibels: -20) },
    ]
}
