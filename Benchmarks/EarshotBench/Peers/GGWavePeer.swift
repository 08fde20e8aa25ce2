import Foundation

/// ggwave, through Benchmarks/Peers/ggwave_peer.cpp, which describes the messages on the pipes.
final class GGWavePeer: Peer {
    private let worker: ChildProcess

    /// The maximum number of samples, five minutes.
    private static let greatestCount: UInt32 = 1 << 24

    /// - Parameters:
    ///   - program: ggwave_peer.
    ///   - mode: protocol, payload length, first bin, marker threshold.
    init(program: String, mode: [String]) throws {
        worker = try ChildProcess([program, "serve"] + mode)
    }

    func encode(_ token: [UInt8]) throws -> [Float] {
        try token.withUnsafeBytes { try request("E", count: token.count, $0) }
        var samples = [Float](repeating: 0, count: try count())
        try samples.withUnsafeMutableBytes { try worker.read(into: $0) }
        return samples
    }

    func decode(_ samples: [Float]) throws -> Reception {
        try samples.withUnsafeBytes { try request("D", count: samples.count, $0) }
        return .payloads(
            try (0..<count()).map { _ in
                var payload = [UInt8](repeating: 0, count: try count())
                try payload.withUnsafeMutableBytes { try worker.read(into: $0) }
                return payload
            })
    }

    private func request(_ letter: Unicode.Scalar, count: Int, _ data: UnsafeRawBufferPointer) throws {
        try [UInt8(ascii: letter)].withUnsafeBytes { try worker.write($0) }
        try withUnsafeBytes(of: UInt32(count)) { try worker.write($0) }
        try worker.write(data)
    }

    private func count() throws -> Int {
        var count: UInt32 = 0
        try withUnsafeMutableBytes(of: &count) { try worker.read(into: $0) }
        guard count <= Self.greatestCount else { throw PeerError("\(worker.name) answers with a count of \(count)") }
        return Int(count)
    }

    /// The program, which Benchmarks/Peers/install.sh builds if it is missing; nil if that fails.
    static func installedProgram() -> String? {
        do {
            return try installPeers() + "/ggwave_peer"
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            return nil
        }
    }

    /// The stock ultrasound modes, and the two narrow ones moved to our band, which DT exactly fills.
    ///
    /// Payloads of variable length are between markers, which ggwave recognizes when 16 pairs of tones differ by a
    /// factor. The default, 3, costs 1.5 to 2 dB. Of 1.2, 1.5, 2, 2.5, 3 and 4 the lowest was best in every mode, and
    /// with 1.2 noise alone looks like a marker once in 7 hours (0.45¹⁶ every 85 ms).
    static func modems(program: String) -> [PeerModem] {
        // 395 · 46.875 Hz = 18,515.6 Hz.
        let (token, variable, ownBin, movedBin) = (PeerAir.tokenByteCount, 0, 0, 395)
        let (best, stock) = (1.2, 0.0)
        let modes: [(String, Int, Int, Int, Double)] = [
            ("U-normal", 3, variable, ownBin, best), ("U-fast", 4, variable, ownBin, best),
            ("U-fastest", 5, variable, ownBin, best), ("U-fastest, stock threshold", 5, variable, ownBin, stock),
            ("U-normal, fixed length", 3, token, ownBin, stock), ("U-fast, fixed length", 4, token, ownBin, stock),
            ("U-fastest, fixed length", 5, token, ownBin, stock),
            ("DT-fastest at 18.5 kHz", 8, variable, movedBin, best),
            ("DT-fastest at 18.5 kHz, fixed length", 8, token, movedBin, stock),
            ("MT-fastest at 18.5 kHz, fixed length", 11, token, movedBin, stock),
        ]
        return modes.map { name, id, length, bin, threshold in
            let mode = [String(id), String(length), String(bin), String(threshold)]
            return PeerModem(
                name: "ggwave " + name,
                setting: "receives this mode only" + (threshold == best ? ", marker threshold 1.2 instead of 3" : ""),
                isChecked: true, open: { try GGWavePeer(program: program, mode: mode) },
                decodeCommand: { [program, "decode"] + mode + [$0] })
        }
    }
}
