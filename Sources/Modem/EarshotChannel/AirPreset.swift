/// A named simulation of the air, so that all tools measure the same conditions under one name.
public struct AirPreset: Sendable {
    /// The name that a user types.
    public let name: String
    /// The description, one clause without a full stop.
    public let summary: String
    /// The air of that name.
    public let air: Air

    private init(_ name: String, _ summary: String, _ change: (inout Air) -> Void) {
        self.name = name
        self.summary = summary
        var air = Air()
        change(&air)
        self.air = air
    }

    /// The preset of that name, in upper or lower case; nil if there is none.
    public static func named(_ name: String) -> AirPreset? {
        let name = name.lowercased()
        return all.first { $0.name == name }
    }

    /// White noise and nothing else: `awgn`.
    public static let whiteNoise = AirPreset("awgn", "white noise and nothing else") { _ in }

    /// All presets, by subject.
    public static let all = noises + rooms + motions + devices + losses + disturbances + crowds + arrays

    private static let noises = [
        whiteNoise,
        AirPreset("pink", "noise that falls by 3 dB an octave, as loud in the band") { $0.noise = .coloured(.pink) },
        AirPreset("brown", "noise that falls by 6 dB an octave, as loud in the band") { $0.noise = .coloured(.brown) },
    ]

    private static let rooms = [
        AirPreset("room-a", "a small room at the critical distance: RT60 0.2 s, DRR 0 dB") { $0.room = Room.a },
        AirPreset("room-b", "across a large room: RT60 0.3 s, DRR -6 dB") { $0.room = Room.b },
        AirPreset("room-c", "a large room without a direct path: RT60 0.3 s") { $0.room = Room.c },
        AirPreset("room-critical", "a large room at the critical distance: RT60 0.3 s, DRR 0 dB") {
            $0.room = Room(reverberationSeconds: 0.3, directToReverberantDecibels: 0)
        },
        AirPreset("hall", "across a hall: RT60 0.6 s, DRR -6 dB") {
            $0.room = Room(reverberationSeconds: 0.6, directToReverberantDecibels: -6)
        },
        AirPreset("office", "5 by 4 by 2.7 m, RT60 0.4 s, by image sources, anywhere in it") {
            $0.room = office
        },
    ]

    private static let motions = [
        AirPreset("approach", "0.5 % of Doppler: closer at 1.7 m/s") { $0.relativeOffset = 0.005 },
        AirPreset("recede", "0.5 % of Doppler: away at 1.7 m/s") { $0.relativeOffset = -0.005 },
        AirPreset("walk", "a person walks past at 1.4 m/s, 1 m away, and is nearest at any time of the frame") {
            $0.motion = .walkingPast(metresPerSecond: 1.4, nearestMetres: 1)
        },
        AirPreset("approach-fast", "closer at 3 m/s, and the clocks differ by 500 ppm") {
            $0.relativeOffset = 3 / SoundInAir.metresPerSecond + 500e-6
        },
        AirPreset("recede-fast", "away at 3 m/s, and the clocks differ by 500 ppm") {
            $0.relativeOffset = -3 / SoundInAir.metresPerSecond - 500e-6
        },
        AirPreset("hand", "a hand moves at random, 0.3 m/s below 2 Hz") {
            $0.motion = .held(rootMeanSquareMetresPerSecond: 0.3, highestHertz: 2)
        },
        AirPreset("hand-fast", "a hand moves at random, 0.6 m/s below 1.5 Hz") {
            $0.motion = .held(rootMeanSquareMetresPerSecond: 0.6, highestHertz: 1.5)
        },
        AirPreset("sway", "a hand that sways by 0.1 m to either side, every two seconds") {
            $0.motion = .swaying(swingMetres: 0.1, periodSeconds: 2)
        },
        AirPreset("clock-fast", "the recorder's clock is 300 ppm slow: everything is higher") {
            $0.relativeOffset = 300e-6
        },
        AirPreset("clock-slow", "the recorder's clock is 300 ppm fast: everything is lower") {
            $0.relativeOffset = -300e-6
        },
    ]

    private static let devices = [
        AirPreset("phone", "a phone's loudspeaker and another one's microphone, as they fall off over the band") {
            $0.loudspeaker = .phoneLoudspeaker
            $0.microphone = .phoneMicrophone
        },
        AirPreset("tilt", "20 dB less at 20 kHz than at 18.5 kHz") { $0.loudspeaker = .tilt(decibels: 20) },
        AirPreset("cut-off", "a resampler that ends at 19.8 kHz") { $0.microphone = .cutOff(atHertz: 19_800) },
        AirPreset("lowpass-19400", "a low-pass that takes the upper 40 % of the band") {
            $0.microphone = .cutOff(atHertz: 19_400)
        },
        AirPreset("lowpass-19250", "a low-pass that takes the upper half of the band") {
            $0.microphone = .cutOff(atHertz: 19_250)
        },
        AirPreset("fade", "a person walks between the devices: 20 dB less for 0.3 s, anywhere in the frame") {
            $0.fade = AirFade(decibels: 20, seconds: 0.3)
        },
        AirPreset("rate-44100", "a receiver at 44.1 kHz") { $0.receiverRateHertz = 44_100 },
        AirPreset("clip", "a signal 12 dB above what the microphone can take") { $0.overdriveDecibels = 12 },
        AirPreset("gate", "a noise suppressor's gate: 20 dB less for 0.1 to 0.4 s, noise included, as between words") {
            $0.gate = AirGate(decibels: 20)
        },
        AirPreset("agc", "an automatic gain that follows the sound, as in a phone") { $0.hasAutomaticGain = true },
        AirPreset("gaps", "a recording that loses 5 to 40 ms once a second, and reports it") {
            $0.gaps = RandomGaps(perSecond: 1, lengthSeconds: 0.005...0.04)
        },
    ]

    private static let losses =
        [60, 100, 120, 150, 200, 300, 400, 600].map { milliseconds in
            AirPreset("dropout-\(milliseconds)", "\(milliseconds) ms of silence in the frame, not reported") {
                $0.dropoutSeconds = Double(milliseconds) / 1_000
            }
        }
        + [100, 200, 400].map { milliseconds in
            AirPreset(
                "cut-start-\(milliseconds)", "a loudspeaker that wakes \(milliseconds) ms after the frame's start"
            ) {
                $0.cutStartSeconds = Double(milliseconds) / 1_000
            }
        }
        + [100, 200, 400].map { milliseconds in
            AirPreset("late-\(milliseconds)", "a recording that begins \(milliseconds) ms after the frame") {
                $0.lateStartSeconds = Double(milliseconds) / 1_000
            }
        }
        + [
            AirPreset("concealed", "losses of 10 to 60 ms, five a second, in which the last 10 ms come again and again")
            {
                $0.concealedLosses = AirConcealment(perSecond: 5, lengthSeconds: 0.01...0.06)
            }
        ]

    private static let disturbances = [
        AirPreset("pilot", "a steady tone 10 dB above the signal, anywhere in the band") {
            $0.toneLevelsDecibels = [10]
        },
        AirPreset("pilot-20", "a steady tone 20 dB above the signal") { $0.toneLevelsDecibels = [20] },
        AirPreset("pilot-30", "a steady tone 30 dB above the signal") { $0.toneLevelsDecibels = [30] },
        AirPreset("pilot-50", "a steady tone 50 dB above the signal") { $0.toneLevelsDecibels = [50] },
        AirPreset("tone-below", "a steady tone 50 dB above the signal, from 17,000 to 18,450 Hz") {
            $0.toneLevelsDecibels = [50]
            $0.bandHertz = 17_000...18_450
        },
        AirPreset("tone-above", "a steady tone 50 dB above the signal, from 20,050 to 22,000 Hz") {
            $0.toneLevelsDecibels = [50]
            $0.bandHertz = 20_050...22_000
        },
        AirPreset("sweep-10", "a repeller: a tone 10 dB above the signal sweeps over 17 to 23.5 kHz in 0.2 to 3 s") {
            $0.sweep = AirSweep(levelDecibels: 10)
        },
        AirPreset("sweep-20", "the same 20 dB above the signal") { $0.sweep = AirSweep(levelDecibels: 20) },
        AirPreset("sweep-40", "the same 40 dB above the signal") { $0.sweep = AirSweep(levelDecibels: 40) },
        AirPreset("pilots-3", "three steady tones 10 dB above the signal") { $0.toneLevelsDecibels = [10, 10, 10] },
        AirPreset("keys", "a person types, four keys a second, peaks 10 dB above the signal") {
            $0.impulses = AirImpulses(.keys, levelDecibels: 10)
        },
        AirPreset("clicks", "clicks, four a second, peaks 20 dB above the signal") {
            $0.impulses = AirImpulses(.clicks, levelDecibels: 20)
        },
    ]

    private static let crowds =
        [2, 3, 4, 6, 8, 10, 12].map { count in
            AirPreset("crowd-\(count)", "\(count) talkers, equally loud, within 0.4 s") { $0.gather(count) }
        }
        + [(3, "b", Room.b), (4, "a", Room.a), (6, "a", Room.a)].map { count, name, room in
            AirPreset("crowd-\(count)-room-\(name)", "\(count) talkers, equally loud, each in its own room \(name)") {
                $0.gather(count)
                $0.room = room
            }
        }
        + [10, 20, 30].map { level in
            AirPreset("near-far-\(level)", "two talkers, the second \(level) dB weaker") {
                $0.gather(2)
                $0.talkerLevelsDecibels = [0, -Double(level)]
            }
        }
        + [
            AirPreset("near-far-10-room-a", "two talkers, the second 10 dB weaker, each in its own room a") {
                $0.gather(2)
                $0.talkerLevelsDecibels = [0, -10]
                $0.room = Room.a
            }
        ]

    private static let arrays =
        [2, 4].map { count in
            AirPreset("mics-\(count)", "\(count) microphones, 0.1 m apart, in white noise") {
                $0.microphones = .row(count, spacingMetres: 0.1)
            }
        }
        + [("b", Room.b), ("c", Room.c)].map { name, room in
            AirPreset("mics-2-room-\(name)", "two microphones with independent echoes of a room \(name)") {
                $0.microphones = .row(2, spacingMetres: 0.1)
                $0.room = room
            }
        }
        + [
            AirPreset("mics-2-dead", "two microphones in white noise; the second is digitally silent") {
                $0.microphones = .row(2, spacingMetres: 0.1)
                $0.microphones.microphones[1].isDead = true
            },
            AirPreset("mics-2-noisy", "two microphones in white noise; the second has 20 dB more noise") {
                $0.microphones = .row(2, spacingMetres: 0.1)
                $0.microphones.microphones[1].noiseDecibels = 20
            },
            AirPreset("array-2", "a laptop's two microphones, 0.1 m apart, in the room of office") {
                $0.room = office
                $0.microphones = .row(2, spacingMetres: 0.1)
            },
            AirPreset("array-4", "a speaker's four microphones on a circle of 0.09 m, in the room of office") {
                $0.room = office
                $0.microphones = .circle(4, radiusMetres: 0.045)
            },
        ]

    private static let office = ShoeboxRoom(dimensionsMetres: SIMD3(5, 4, 2.7), wallReverberationSeconds: 0.4)
}

extension Air {
    fileprivate mutating func gather(_ count: Int) {
        talkerLevelsDecibels = [Double](repeating: 0, count: count)
        startSpreadSeconds = 0.4
        clockSpread = 100e-6
    }
}
