import EarshotCoding
import EarshotDiscovery
import EarshotSound

/// Compiled, not run: this code opens devices.
enum DiscoveryCode {
    static func find() async throws {
        let token = try Payload(hex: "0123456789abcdef")
        let discovery = Discovery(media: [SoundMedium()], tokens: .always(token))
        for await event in discovery.events() {
            switch event {
            case .found(let neighbour): print("found", neighbour.token)
            case .updated: break
            case .lost(let neighbour): print("lost", neighbour.token)
            case .problem(let problem, let medium, let detail): print(medium, problem, detail)
            case .solved(let problem, let medium): print(medium, "solved", problem)
            case .opened: break
            }
        }
    }

    static func onlyScan() {
        var strategy = DiscoveryStrategy()
        strategy.mode = .scan
        strategy.timeToLive = .seconds(30)
        let scan = Discovery(strategy, media: [SoundMedium()], tokens: .none)
        _ = scan
    }

    static func chooseDevices(_ token: Payload) {
        var options = SoundMedium.Options(capture: "hw:1", playback: "hw:0")
        options.levelDecibels = -20
        let quiet = Discovery(media: [SoundMedium(options)], tokens: .always(token))
        _ = quiet
    }
}
