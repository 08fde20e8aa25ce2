import Logging
import ServiceLifecycle
import UnixSignals

/// Changes the settings at each SIGHUP. Invalid settings change nothing, and the log has the reason.
struct Reloading: Service {
    let metrics: Metrics
    let logger: Logger
    /// Reads and applies the settings.
    let reload: @Sendable () throws -> Void

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        for await _ in signals.cancelOnGracefulShutdown() {
            ServiceManager.tellReloading()
            do {
                try reload()
                metrics.add(to: .reloads, "result=\"done\"")
                logger.notice("reloaded")
            } catch {
                metrics.add(to: .reloads, "result=\"refused\"")
                logger.error("failed; nothing has changed", metadata: ["step": "reload", "reason": "\(error)"])
            }
            ServiceManager.tell("READY=1")
        }
    }
}
