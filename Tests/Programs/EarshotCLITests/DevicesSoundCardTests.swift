import Foundation
import TestSupport
import Testing

/// 'earshot devices' with special ALSA configurations: good ones, broken ones, and servers that hang.
@Suite(.apart) struct DevicesSoundCardTests {
    struct Line: Decodable {
        let name: String
        let direction: String
        let description: String
        let band: String
        let reason: String
        let kind: String?
        let error: String?
        let rate_hz: Int?
        let encoding: String?
        let channels: Int?
        let rates_hz: [Int]?
        let highest_rate_hz: Int?
    }

    static func lines(_ output: String) throws -> [Line] {
        // Bluetooth has lines of other keys (`AdaptersTests`).
        try output.split(separator: "\n").filter { !$0.contains(#""direction":"bluetooth""#) }.map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    /// Runs the tool with an ALSA configuration that adds `pcms` to the system's, or replaces it.
    private func devices(
        _ arguments: [String], pcms: String = "", withSystem: Bool = true, in scratch: Scratch
    ) throws -> Tool.Result {
        let system = withSystem ? "</usr/share/alsa/alsa.conf>\n" : ""
        try scratch.save(Data((system + pcms).utf8), "asound.conf")
        let tool = try Running(["devices"] + arguments, in: scratch)
        var environment = ProcessInfo.processInfo.environment
        environment["ALSA_CONFIG_PATH"] = scratch.path("asound.conf")
        // The sound server of the user who runs the tests must not be used.
        environment["PULSE_SERVER"] = "unix:" + scratch.path("no-server")
        environment["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=" + scratch.path("no-bus")
        tool.process.environment = environment
        try tool.start()
        return try tool.wait()
    }

    private static let converters = """
        pcm.wide { type plug slave.pcm null hint.show on hint.description "Wide
        and open" }
        pcm.narrow { type plug slave { pcm { type null } rate 16000 } hint.show on }

        """

    @Test func eachDirectionHasALine() throws {
        let scratch = try Scratch()
        let result = try devices(["--json", "wide", "narrow"], pcms: Self.converters, in: scratch)
        let lines = try Self.lines(result.output)
        #expect(
            lines.map { "\($0.name) \($0.direction) \($0.band)" } == [
                "wide capture likely", "narrow capture no", "wide playback likely", "narrow playback no",
            ])
        let wide = try #require(lines.first)
        #expect(wide.kind == "converter")
        #expect(wide.rate_hz == 48_000)
        #expect(wide.encoding == "FLOAT_LE")
        #expect(wide.channels == 1)
        #expect(lines[1].rates_hz == [16_000])
        #expect(lines[1].highest_rate_hz == 16_000)
        #expect(lines[1].reason.contains("16000 Hz at most"))
        #expect(result.status == 0)
        #expect(result.error.isEmpty)
    }

    @Test func oneDirectionCanBeChosen() throws {
        let scratch = try Scratch()
        for direction in ["capture", "playback"] {
            let result = try devices(["--json", "--\(direction)", "wide"], pcms: Self.converters, in: scratch)
            #expect(try Self.lines(result.output).map(\.direction) == [direction])
        }
    }

    @Test func theListShowsUsualDevicesAndAllShowsEveryDevice() throws {
        let scratch = try Scratch()
        let usual = try Self.lines(devices(["--json"], pcms: Self.converters, in: scratch).output)
        let all = try Self.lines(devices(["--json", "--all"], pcms: Self.converters, in: scratch).output)
        for name in ["default", "wide", "narrow"] {
            #expect(usual.contains { $0.name == name }, "\(name)")
        }
        #expect(usual.first { $0.name == "wide" }?.description == "Wide, and open")
        #expect(!usual.contains { $0.name == "null" })
        #expect(all.contains { $0.name == "null" && $0.kind == "null" && $0.band == "no" })
        #expect(all.count > usual.count)
    }

    @Test func textAgreesWithJSON() throws {
        let scratch = try Scratch()
        let result = try devices(["--playback", "wide", "narrow", "\u{1B}[31mred"], pcms: Self.converters, in: scratch)
        #expect(result.lines.first == "Playback")
        #expect(result.lines.contains("  likely  wide"))
        #expect(result.lines.contains("  no      narrow"))
        #expect(result.lines.contains("  no      \\u{1b}[31mred"))
        #expect(result.output.contains("16000 Hz at most"))
        #expect(result.lines.allSatisfy { $0.count <= 80 })
        #expect(result.lines.last == "likely: yes, if the underlying device runs at 44100 Hz or more")
        #expect(!result.output.contains("\u{1B}"))
    }

    /// On a machine with sound cards, the list has those as well.
    @Test func withoutDevicesTheErrorGivesAdvice() throws {
        let scratch = try Scratch()
        let result = try devices(["--json"], withSystem: false, in: scratch)
        let lines = try Self.lines(result.output)
        #expect(lines.contains { $0.name == "default" })
        if lines.contains(where: { ["yes", "likely"].contains($0.band) }) {
            #expect(result.status == 0)
        } else {
            #expect(result.status == (lines.contains { $0.error == "notPermitted" } ? 77 : 69))
            #expect(result.error.hasPrefix("Error: "))
            #expect(result.status == 77 || result.error.contains("Tests/Support/virtual-sound-card.sh"))
        }
        // If the arguments name devices, the advice differs.
        let named = try devices(["hw:99", "nowhere"], in: scratch)
        #expect(named.status == 69)
        #expect(named.error.contains("None of these devices can send or receive"))
    }

    @Test func brokenDefinitionsAreReportedOneByOne() throws {
        let scratch = try Scratch()
        try scratch.save(Data("precious".utf8), "precious.raw")
        let pcms = """
            pcm.unknown_type { type frobnicate }
            pcm.no_type { color green }
            pcm.no_slave { type plug }
            pcm.missing_slave { type plug slave.pcm "nowhere" }
            pcm.own_slave { type plug slave.pcm "own_slave" }
            pcm.circle_a { type plug slave.pcm "circle_b" }
            pcm.circle_b { type asym playback.pcm "circle_a" capture.pcm "circle_a" }
            pcm.no_library { type foo lib "/nowhere/foo.so" }
            pcm.no_card { type hw card 31 }
            pcm.no_socket { type pulse server "unix:\(scratch.path("no-socket"))" }

            """
        let names = pcms.split(separator: "\n").compactMap { line in
            line.split(separator: " ").first.map { String($0.dropFirst("pcm.".count)) }
        }
        let result = try devices(["--json"] + names, pcms: pcms, in: scratch)
        let lines = try Self.lines(result.output)
        #expect(lines.map(\.name) == names + names)
        #expect(lines.allSatisfy { $0.band == "unknown" && $0.error != nil && !$0.reason.isEmpty })
        #expect(lines.first { $0.name == "missing_slave" }?.reason.contains("Unknown PCM nowhere") == true)
        #expect(lines.first { $0.name == "no_socket" }?.error == "vanished")
        #expect(result.status == 69)
        // ALSA's own messages do not appear beside ours.
        #expect(result.error.split(separator: "\n").count == 1)

        let file = "pcm.recorder { type file slave.pcm null file \"\(scratch.path("precious.raw"))\" format raw }\n"
        let harmless = try devices(["--json", "recorder"], pcms: file, in: scratch)
        #expect(try Self.lines(harmless.output).map(\.kind) == ["file", "file"])
        #expect(try scratch.data("precious.raw") == Data("precious".utf8))
    }

    @Test func aConfigurationThatCannotBeReadIsAnError() throws {
        let scratch = try Scratch()
        let result = try devices([], pcms: "pcm.open { type null\n", withSystem: false, in: scratch)
        #expect(result.status == 69)
        #expect(result.error.hasPrefix("Error: Cannot list"))
        #expect(result.error.contains("asound.conf"))
    }

    @Test func aServerThatHangsDoesNotDelayTheOthers() throws {
        let scratch = try Scratch()
        let server = try SilentServer(scratch.hidden.appendingPathComponent("s").path)
        let pcms = (1...3).map { "pcm.silent\($0) { type pulse server \"unix:\(server.path)\" }\n" }.joined()
        let names = ["silent1", "silent2", "silent3", "wide"]
        let result = try devices(["--json"] + names, pcms: pcms + Self.converters, in: scratch)
        let lines = try Self.lines(result.output)
        #expect(lines.map(\.name) == names + names)
        #expect(lines.filter { $0.name == "wide" }.map(\.band) == ["likely", "likely"])
        let silent = lines.filter { $0.name != "wide" }
        #expect(silent.allSatisfy { $0.error == "vanished" && $0.reason == "no answer within 3 s" })
        #expect(result.status == 0)
    }

    /// An open PCM of type null takes a descriptor. The limit of 40 descriptors is less than the 200 devices.
    @Test func manyDevicesLeaveNoDescriptorBehind() throws {
        let scratch = try Scratch()
        let names = [String](repeating: "null", count: 200)
        let limited = try Program(
            "bash",
            ["-c", "ulimit -n 40; exec \"$0\" \"$@\"", Tool.url.path, "devices", "--json", "--capture"] + names,
            environment: ProcessInfo.processInfo.environment, in: scratch)
        #expect(limited.waitForEnd(within: 60))
        #expect(try Self.lines(limited.output).map(\.kind) == [String?](repeating: "null", count: 200))
    }

    /// A server that never answers: the system accepts its connections.
    private final class SilentServer {
        let path: String
        private let descriptor: Int32

        init(_ path: String) throws {
            self.path = path
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let bytes = Array(path.utf8)
            try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(bound == 0 && listen(descriptor, 64) == 0)
        }

        deinit {
            close(descriptor)
        }
    }
}

extension DevicesSoundCardTests {
    /// With the virtual sound card.
    @Suite(
        .disabled(
            if: ProcessInfo.processInfo.environment["EARSHOT_SKIP_SOUND_CARD"] == "1",
            "EARSHOT_SKIP_SOUND_CARD=1 is set"))
    struct VirtualCard {
        @Test func theCardCanBeUsedBothWays() throws {
            let scratch = try Scratch()
            let card = try SoundCard(in: scratch)
            let tool = try card.run(Tool.url.path, ["devices", "--json"])
            let lines = try DevicesSoundCardTests.lines(tool.output)
            for (name, direction) in [("air_in", "capture"), ("air_out", "playback")] {
                let line = try #require(lines.first { $0.name == name && $0.direction == direction })
                #expect(line.kind == "soundServer")
                // If the machine's own sound card is running, the kernel reports its rate.
                #expect(["yes", "likely"].contains(line.band))
                #expect(line.rate_hz == 48_000)
                #expect(line.encoding == "FLOAT_LE")
                #expect(line.channels == 1)
            }
            #expect(tool.status == 0)
            #expect(tool.error.isEmpty)
        }
    }
}
