/// A modem that is measured, open for work. Used by one thread at a time.
protocol Peer: AnyObject, Sendable {
    /// The sound of a token at 48 kHz, at whatever level.
    func encode(_ token: [UInt8]) throws -> [Float]

    /// What is heard in a sound at 48 kHz by a receiver that was just switched on.
    func decode(_ samples: [Float]) throws -> Reception
}

/// What a receiver made of a sound.
enum Reception {
    /// Payloads, each checked by the modem.
    case payloads([[UInt8]])
    /// One stream of unchecked bytes.
    case stream([UInt8])

    /// How often `token` is in it, and how much is not `token`: payloads, or bytes of a stream.
    func judged(by token: [UInt8]) -> (hitCount: Int, wrongCount: Int) {
        switch self {
        case .payloads(let payloads):
            let hitCount = payloads.count { $0 == token }
            return (hitCount, payloads.count - hitCount)
        case .stream(let bytes):
            let hitCount = bytes.occurrenceCount(of: token)
            return (hitCount, bytes.count - hitCount * token.count)
        }
    }
}

extension [UInt8] {
    /// How often `pattern` stands here, without overlaps.
    func occurrenceCount(of pattern: [UInt8]) -> Int {
        var count = 0
        var start = 0
        while start + pattern.count <= self.count {
            if self[start..<start + pattern.count].elementsEqual(pattern) {
                count += 1
                start += pattern.count
            } else {
                start += 1
            }
        }
        return count
    }
}

/// A modem in one setting: how to open it and how to run it as a program.
struct PeerModem: Sendable {
    /// In the tables.
    let name: String
    /// How it is set up, for who reads the tables.
    let setting: String
    /// Whether what it reports was checked by it.
    let isChecked: Bool
    let open: @Sendable () throws -> any Peer
    /// The program that decodes a WAV file on one core.
    let decodeCommand: @Sendable (String) -> [String]
}

/// Why the peers could not be measured.
struct PeerError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
