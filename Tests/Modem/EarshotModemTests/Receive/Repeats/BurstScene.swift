import EarshotCoding
import EarshotDSP

@testable import EarshotModem

/// A token sent four times, a burst spacing apart.
enum BurstScene {
    static let profile = Profile.standard
    static let start = 700.0
    static let repeatCount = 4

    /// The burst's history: noise and the frames whose places are in `present`.
    static func history(
        _ payload: Payload, snrDecibels: Double, seed: UInt64, offsetHertz: Double = 0, present: [Int] = [0, 1, 2, 3]
    ) -> BasebandHistory {
        let tones = FrameTones.tones(of: payload, profile: profile)
        var scene = BasebandScene(count: 16_000, snrDecibels: snrDecibels, seed: seed)
        let spacing = spacing(offsetHertz: Float(offsetHertz))
        for index in present {
            scene.add(tones, profile, start: start + Double(index) * spacing, offsetHertz: offsetHertz)
        }
        return scene.history
    }

    /// From one frame's start to the next one's: 56 tones.
    static func spacing(offsetHertz: Float) -> Double {
        56 * BasebandFormat(profile: profile).symbolLength(offsetHertz: offsetHertz)
    }
}
