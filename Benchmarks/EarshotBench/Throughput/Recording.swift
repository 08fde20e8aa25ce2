import EarshotAudio
import EarshotBenchmark

/// A recording for measuring `earshot decode`.
struct Recording {
    /// The format of the samples.
    struct Container {
        var sampleRateHertz = 48_000
        var channelCount = 1
        var format = SampleFormat.s16
        /// At 48 kHz with 16 bits and one channel.
        var isFLAC = false

        /// The only recordings that Benchmarks/Peers/ggwave_peer.cpp reads.
        var isPlain: Bool { sampleRateHertz == 48_000 && channelCount == 1 && format == .s16 && !isFLAC }
    }

    var name: String
    var traffic: Traffic
    var seconds = 600
    var container = Container()
    /// Whether all cores decode it too.
    var usesAllCores = false

    init(_ traffic: Traffic, name: String? = nil, _ change: (inout Recording) -> Void = { _ in }) {
        self.name = name ?? traffic.name
        self.traffic = traffic
        change(&self)
    }

    static func all() throws -> [Recording] {
        let usual = Traffic.tokenEvery(10, snrDecibels: 20)
        return [Recording(.noise) { $0.usesAllCores = true }]
            + [0, 20, 40, 60].map { snr in
                Recording(.tokenEvery(10, snrDecibels: snr)) { $0.usesAllCores = snr == 20 }
            }
            + [0, 20, 40, 60].map { Recording(.tokenEvery(2, snrDecibels: $0)) }
            + [
                Recording(.tokenEvery(10, snrDecibels: nil)),
                Recording(try .fastBackToBack()),
                Recording(.turns),
                Recording(try .tenTalkers(), name: try Traffic.tenTalkers().name + ", one minute") { $0.seconds = 60 },
                Recording(usual, name: "\(usual.name), 44.1 kHz") { $0.container.sampleRateHertz = 44_100 },
                Recording(usual, name: "\(usual.name), float") { $0.container.format = .f32 },
                Recording(usual, name: "\(usual.name), FLAC") { $0.container.isFLAC = true },
                Recording(usual, name: "\(usual.name), two channels") { $0.container.channelCount = 2 },
                Recording(usual, name: "\(usual.name), one hour") { $0.seconds = 3_600 },
            ]
    }
}
