/// ggwave, by way of Benchmarks/Peers/ggwave_peer.cpp, which says what is sent over the pipes.
final class GGWavePeer: Peer {
    private let worker: ChildProcess

    /// - Parameters:
    ///   - program: ggwave_peer.
    ///   - mode: protocol, payload length, first bin.
    init(program: String, mode: [Int]) throws {
        worker = try ChildProcess([program, "serve"] + mode.map(String.init))
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
        return Int(count)
    }

    /// The stock ultrasound modes, and the two narrow ones moved to our band, where the widest (DT) just fits.
    static func modems(program: String) -> [PeerModem] {
        // 395 · 46.875 Hz = 18,515.6 Hz.
        let (token, variable, ownBin, movedBin) = (8, 0, 0, 395)
        let modes: [(String, Int, Int, Int)] = [
            ("U-normal", 3, variable, ownBin), ("U-fast", 4, variable, ownBin), ("U-fastest", 5, variable, ownBin),
            ("U-normal, fixed length", 3, token, ownBin), ("U-fast, fixed length", 4, token, ownBin),
            ("U-fastest, fixed length", 5, token, ownBin),
            ("DT-fastest at 18.5 kHz", 8, variable, movedBin),
            ("DT-fastest at 18.5 kHz, fixed length", 8, token, movedBin),
            ("MT-fastest at 18.5 kHz, fixed length", 11, token, movedBin),
        ]
        return modes.map { name, id, length, bin in
            let mode = [id, length, bin]
            return PeerModem(
                name: "ggwave " + name, setting: "receives this mode only", isChecked: true,
                open: { try GGWavePeer(program: program, mode: mode) },
                decodeCommand: { [program, "decode"] + mode.map(String.init) + [$0] })
        }
    }
}
