import Foundation

/// Tests/Vectors/vectors.json: what the independent encoder beside it makes of docs/PROTOCOL.md.
public struct Vectors: Decodable, Sendable {
    /// A payload and its tones.
    public struct Frame: Decodable, Sendable {
        /// "fast", "standard" or "far".
        public let profile: String
        /// Hexadecimal.
        public let payload: String
        /// The frame's check, hexadecimal.
        public let crc: String
        /// The frame's tones, sync pattern first.
        public let tones: [Int]
    }

    /// Some samples of a frame of amplitude 1.
    public struct Waveform: Decodable, Sendable {
        /// "fast", "standard" or "far".
        public let profile: String
        /// Hexadecimal.
        public let payload: String
        /// Samples a second.
        public let rate: Int
        /// Samples in the frame.
        public let count: Int
        /// Pairs of sample index and sample.
        public let samples: [[Double]]
    }

    /// Every length in every profile, and edge cases.
    public let frames: [Frame]
    /// A few whole frames.
    public let waveforms: [Waveform]

    /// The file's path in the repository.
    public static let file = "Tests/Vectors/vectors.json"
    /// The path of the script that prints it.
    public static let script = "Tests/Vectors/reference_encoder.py"

    /// The vectors as they are stored.
    public static func stored() throws -> Vectors {
        try JSONDecoder().decode(Vectors.self, from: Repository.contents(file))
    }
}
