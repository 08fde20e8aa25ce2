import EarshotConsole
import EarshotMessages
import Foundation
import NearbyWire

/// One question to the agent, and its answer.
enum AgentQuery {
    /// An agent that does not answer within this time does not work.
    private static let patienceSeconds = 10

    /// - Parameter pick: returns the answer if the frame contains it.
    /// - Throws: `Failure` if no agent answers, or if it refuses.
    static func ask<Answer>(
        _ request: ClientFrame.Request, at path: String, _ pick: (AgentFrame) -> Answer?
    ) throws(Failure) -> Answer {
        let descriptor = AgentSocket.connect(path: path)
        guard descriptor >= 0 else {
            let number = errno
            let reason = String(cString: strerror(number)).lowercased()
            if [EPERM, EACCES].contains(number) {
                throw Failure(
                    .unavailable,
                    "Cannot ask the earshot-agent at '\(path.escapedForTerminal)': \(reason). It answers only the user who started it."
                )
            }
            throw Failure(
                .unavailable,
                "No earshot-agent at '\(path.escapedForTerminal)': \(reason). Start it with "
                    + "'systemctl --user enable --now earshot-agent.socket'. Debian's package earshot-nearby or 'make install-agent' "
                    + "installs it.")
        }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: patienceSeconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        let frames = [ClientFrame.hello(ClientFrame.Hello()), .request(request)].compactMap { AgentProtocol.encode($0) }
        for bytes in frames {
            let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count == bytes.count else { throw silent(path) }
        }
        var reader = FrameReader()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0, let bodies = try? reader.take(buffer[..<count]) else { throw silent(path) }
            for body in bodies {
                let frame = AgentProtocol.decode(body, as: AgentFrame.self)
                if let frame, let answer = pick(frame) { return answer }
                switch frame {
                case .refusal(let refusal):
                    throw Failure(refusal.id == nil ? .unavailable : .noTokenFound, refusal.sentence.escapedForTerminal)
                case nil: throw silent(path)
                default: break
                }
            }
        }
    }

    private static func silent(_ path: String) -> Failure {
        Failure(
            .unavailable,
            "The program at '\(path.escapedForTerminal)' does not answer as earshot-agent does. "
                + "If systemd listens there, the agent may not have started: 'journalctl --user -u earshot-agent' says why."
        )
    }
}
