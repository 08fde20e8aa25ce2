import ArgumentParser
import EarshotChannel
import EarshotModem
import EarshotSound

/// The options of all measurements of rooms with devices.
struct RoomOptions: ParsableArguments {
    @Option(help: "The profile: fast, standard or far.")
    var profile = "fast"

    @Option(help: "SNR at 1 m.")
    var snr = 20.0

    @Option(help: "Seconds within which the talkers of one slot begin; the policy's if not given.")
    var spread: Double?

    @Option(help: "Seconds from the latest end of a token to the next slot; the policy's if not given.")
    var `guard`: Double?

    @Option(help: "Seconds that a device decides ahead: 0.17 through a sound card.")
    var lead = 0.0

    @Option(help: "Threads; one a core if not given.")
    var threads: Int?

    func validate() throws {
        _ = try namedProfile
        guard spread ?? 1 > 0, self.guard ?? 0 >= 0 else { throw ValidationError("slots need a spread above 0") }
    }

    /// The lengths of slots: the policy's, unless the options give others.
    var timing: TalkTiming {
        get throws {
            var timing = TalkTiming(try namedProfile)
            timing.spreadSeconds = spread ?? timing.spreadSeconds
            timing.guardSeconds = self.guard ?? timing.guardSeconds
            return timing
        }
    }

    var namedProfile: Profile {
        get throws {
            guard let named = Profile.named(profile) else { throw ValidationError("no profile is called \(profile)") }
            return named
        }
    }
}

extension Air {
    /// The air of simulated discovery: clocks that differ, and on request a box of 5 by 4 by 2.7 m.
    static func ofDiscovery(inRoom isInRoom: Bool) -> Air {
        var air = Air()
        air.clockSpread = 100e-6
        if isInRoom {
            air.room = ShoeboxRoom(dimensionsMetres: SIMD3(5, 4, 2.7), wallReverberationSeconds: 0.3)
        }
        return air
    }
}
