import EarshotChannel
package import EarshotLoopback
import EarshotModem

/// The project's promise for 8-byte tokens in simulated air: a scene, and the minimum share of tokens decoded.
///
/// The tests hold the receiver to these, and the benchmarks measure how far above them it is.
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
        AirPromise("Doppler +0.5 %", 1) { $0.air.relativeOffset = 0.005 },
        AirPromise("Doppler −0.5 %", 1) { $0.air.relativeOffset = -0.005 },
        AirPromise("clocks +300 ppm apart", 1) { $0.air.relativeOffset = 300e-6 },
        AirPromise("clocks −300 ppm apart", 1) { $0.air.relativeOffset = -300e-6 },
        AirPromise("44.1 kHz", 1) { $0.sampleRateHertz = 44_100 },
        AirPromise("−60 dBFS", 1) { $0.amplitude = 0.001 },
        AirPromise("12 dB of clipping", 1) { $0.air.overdriveDecibels = 12 },
        AirPromise("room A", 0.97) { $0.air.room = Room.a },
        AirPromise("room B", 0.97) { $0.air.room = Room.b },
        AirPromise("`fast`, room B, 25 dB", 0.9) {
            $0.profile = .fast
            $0.snrDecibels = 25
            $0.air.room = Room.b
        },
        AirPromise("steady tone 10 dB above the signal", 0.95) { $0.air.toneLevelsDecibels = [10] },
        AirPromise("20 dB tilt", 0.97) { $0.air.loudspeaker = .tilt(decibels: 20) },
        AirPromise("20 dB tilt the other way", 0.97) { $0.air.loudspeaker = .tilt(decibels: -20) },
    ]
}
