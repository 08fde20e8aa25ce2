import ArgumentParser
import Foundation
import Glibc
import NIOPosix
import SimplePushKit

@main
struct SimplePushLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simplepush-load",
        abstract: "Connects many clients to a simplepush-server, sends texts, and reports how fast they arrive.",
        discussion: """
            Every client keeps both of its links. Texts go from random clients to random others, evenly in time. The latency is \
            from the sender's write to the recipient's provider, in one process with one clock.
            """)

    @Option(help: "The server's host.") var host = "127.0.0.1"
    @Option(help: "The server's port.") var port = WireFormat.defaultPort
    @Option(help: "The server's secret file.") var secretFile: String?
    @Flag(help: "The server runs with --insecure.") var insecure = false
    @Option(help: "Clients, with two links each.") var clients = 2_000
    @Option(help: "Texts for each second, from all clients together.") var rate = 200.0
    @Option(help: "The time to send texts, in seconds.") var seconds = 30.0
    @Option(help: "The server's process, to report its memory and processor time.") var serverPid: Int32?

    func validate() throws {
        guard insecure != (secretFile != nil) else {
            throw ValidationError("Name the secret with --secret-file, or say --insecure.")
        }
        guard clients >= 2, rate > 0, seconds > 0 else {
            throw ValidationError("Two clients, a rate and a time above 0 are needed.")
        }
    }

    func run() async throws {
        let security: PushSecurity =
            try secretFile.map { .sharedSecret(try SharedSecret(fileAt: $0)) } ?? .insecure
        raiseFileLimit()
        let address = ServerAddress(host: host, port: port)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let meter = LatencyMeter()
        let prefix = "load-\(randomIdentifier(characterCount: 6))"

        let connectStart = ContinuousClock.now
        let fleet = try await Fleet.connect(
            count: clients, prefix: prefix, to: address, security: security, group: group, meter: meter)
        let connectSeconds = (ContinuousClock.now - connectStart).inSeconds
        print("clients \(clients), links \(clients * 2), connected in \(text(connectSeconds)) s")

        let before = serverPid.flatMap(ServerUsage.init)
        let start = ContinuousClock.now
        let count = Int(rate * seconds)
        var sent = 0
        while sent < count {
            let due = min(count, Int((ContinuousClock.now - start).inSeconds * rate) + 1)
            while sent < due {
                fleet.sendText(number: sent)
                sent += 1
            }
            try await Task.sleep(for: .milliseconds(2))
        }
        let sendSeconds = (ContinuousClock.now - start).inSeconds
        let after = serverPid.flatMap(ServerUsage.init)
        // Wait for texts in transit.
        for _ in 0..<100 where meter.count < sent { try await Task.sleep(for: .milliseconds(100)) }

        let latencies = meter.sorted
        print(
            "texts sent \(sent) in \(text(sendSeconds)) s, delivered \(latencies.count), repeated \(meter.repeatedCount)"
        )
        print("links lost \(meter.lostLinkCount), texts refused \(meter.refusedCount)")
        let percentiles = [50.0, 90, 99, 99.9, 100].map { percent -> String in
            guard !latencies.isEmpty else { return "p\(percent.short) -" }
            let index = min(latencies.count - 1, Int((percent / 100 * Double(latencies.count)).rounded(.up)) - 1)
            return "p\(percent.short) \(text(latencies[max(0, index)] * 1e3)) ms"
        }
        print("delivery " + percentiles.joined(separator: ", "))
        if let before, let after {
            let percent = (after.processorSeconds - before.processorSeconds) / sendSeconds * 100
            print(
                "server memory \(text(after.residentMiB)) MiB, at most \(text(after.peakMiB)) MiB; processor "
                    + "\(text(percent)) % of a core")
        }
        let isComplete = latencies.count == sent && meter.lostLinkCount == 0
        fleet.close()
        if !isComplete { throw ExitCode(1) }
    }

    private func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private func text(_ value: Double) -> String { String(format: "%.1f", value) }
}

extension Double {
    fileprivate var short: String { self == rounded() ? String(Int(self)) : String(self) }
}

extension Duration {
    var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
