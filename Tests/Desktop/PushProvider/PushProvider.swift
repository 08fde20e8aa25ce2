import Foundation
import Glibc
import NetworkExtension

/// A provider that writes a line to a file for each step of its life.
///
/// Its configuration: `file`, the path of the output; `mode`, the kind of misbehaviour; `calls`, a folder whose files are a server's calls:
/// the provider removes each after it has reported it; `notify`, a text to show, with a bell if there is a `badge`; `count`, the number of
/// texts to show at once.
@main final class PushProvider: NEAppPushProvider {
    private var lock: CInt = -1

    private func value(_ name: String) -> String { providerConfiguration?[name] as? String ?? "" }

    override func start(completionHandler: @escaping ((any Error)?) -> Void) {
        let (file, mode) = (value("file"), value("mode"))
        lock = open(file + ".alive", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        write(flock(lock, LOCK_EX | LOCK_NB) == 0 ? "start \(getpid())" : "second \(getpid())")
        switch mode {
        case "crash": exit(3)
        case "error":
            return completionHandler(
                NSError(domain: "test", code: 1, userInfo: [NSLocalizedDescriptionKey: "no server"]))
        case "slow": return
        case "child":
            // A process that outlives the provider.
            var process: pid_t = 0
            var arguments: [UnsafeMutablePointer<CChar>?] =
                ["/bin/sleep", "1000"].map { (text: String) in strdup(text) } + [nil]
            _ = posix_spawn(&process, "/bin/sleep", nil, nil, &arguments, environ)
            write("child \(process)")
        case "ethernet": unmatchEthernet()
        default: break
        }
        completionHandler(nil)
        write("active \(getpid())")
        if let folder = providerConfiguration?["calls"] as? String { serve(folder) }
        if let count = providerConfiguration?["count"] as? Int {
            for number in 1...count {
                while !showNotification(identifier: "\(number)", title: "Ship", body: "text \(number)") {
                    usleep(50_000)
                }
            }
            write("shown \(count)")
        }
        if let text = providerConfiguration?["notify"] as? String {
            let badge = providerConfiguration?["badge"] as? Int
            let isShown =
                badge == nil
                ? showNotification(identifier: "text", title: "Ship", body: text)
                : showNotification(identifier: "text", title: "Ship", body: text, soundName: "bell", badge: badge)
            write("shown \(isShown)")
        }
    }

    override func stop(with reason: NEProviderStopReason, completionHandler: @escaping () -> Void) {
        write("stop \(reason)")
        if value("mode") == "stubborn" { signal(SIGTERM, SIG_IGN) }
        if ["stubborn", "hanging"].contains(value("mode")) { return }
        completionHandler()
    }

    override func handleTimerEvent() { write("timer") }

    /// Reports each call of the folder, and confirms it by removing its file.
    private func serve(_ folder: String) {
        nonisolated(unsafe) let provider = self
        Thread.detachNewThread {
            while true {
                for name in ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
                where !name.hasPrefix(".") {
                    provider.reportIncomingCall(userInfo: ["call": name])
                    unlink("\(folder)/\(name)")
                }
                usleep(10_000)
            }
        }
    }

    private func write(_ line: String) {
        let descriptor = open(value("file"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let bytes = Array("\(line)\n".utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
