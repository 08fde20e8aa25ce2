import EarshotLoopback
import Foundation

/// The outcomes of sent tokens.
struct PeerTally: Codable {
    var sent = 0
    var decoded = 0
    /// Reports of a token beyond the first.
    var duplicates = 0
    /// Tokens that were not sent, or bytes if the modem does not check them.
    var wrong = 0

    var share: Double { Double(decoded) / Double(max(sent, 1)) }
    var interval: BinomialInterval { BinomialInterval(successCount: decoded, trialCount: sent) }

    static func += (sum: inout PeerTally, more: PeerTally) {
        sum.sent += more.sent
        sum.decoded += more.decoded
        sum.duplicates += more.duplicates
        sum.wrong += more.wrong
    }
}

/// Sends tokens through the air to one modem, on as many threads as there are open instances.
final class PeerTrials: @unchecked Sendable {
    private let peers: [any Peer]
    private let seed: UInt64
    /// The tally of all tokens sent so far.
    private(set) var total = PeerTally()

    init(_ modem: PeerModem, threadCount: Int, seed: UInt64) throws {
        peers = try (0..<threadCount).map { _ in try modem.open() }
        self.seed = seed
    }

    /// Uses the same seeds each time.
    func run(_ condition: AirCondition, trialCount: Int) throws -> PeerTally {
        let tally = Guarded(PeerTally())
        let failure = Guarded<(any Error)?>(nil)
        DispatchQueue.concurrentPerform(iterations: peers.count) { [self] thread in
            do {
                for trial in stride(from: thread, to: trialCount, by: peers.count) {
                    let outcome = try send(to: peers[thread], condition, seed: seed &+ UInt64(trial) &* 0x1_0001)
                    tally.update { $0 += outcome }
                }
            } catch {
                failure.update { $0 = error }
            }
        }
        if let error = failure.value { throw error }
        total += tally.value
        return tally.value
    }

    private func send(to peer: any Peer, _ condition: AirCondition, seed: UInt64) throws -> PeerTally {
        let token = PeerAir.token(seed: seed)
        let sound = PeerAir.sound(of: try peer.encode(token), condition, seed: seed)
        let (hitCount, wrongCount) = try peer.decode(sound).judged(by: token)
        return PeerTally(
            sent: 1, decoded: min(hitCount, 1), duplicates: max(hitCount - 1, 0), wrong: wrongCount)
    }
}

/// A value that one thread at a time changes.
private final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var value: Value

    init(_ value: Value) {
        self.value = value
    }

    func update(_ body: (inout Value) -> Void) {
        lock.withLock { body(&value) }
    }
}
