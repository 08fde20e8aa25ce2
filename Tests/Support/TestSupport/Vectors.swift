import Foundation

/// Tests/Modem/Vectors/vectors.json: the output of the independent encoder beside it, made from docs/PROTOCOL.md.
public struct Vectors: Decodable, Sendable {
    /// A payload and its tones.
    public struct Frame: Decodable, Sendable {
        /// "fast", "standard" or "far".
        public let profile: String
        /// The payload in hexadecimal.
        public let payload: String
        /// The bytes on the air in hexadecimal: the payload, mixed.
        public let sent: String
        /// The frame's check in hexadecimal.
        public let crc: String
        /// The frame's tones, sync pattern first.
        public let tones: [Int]
    }

    /// Some samples of a frame with amplitude 1.
    public struct Waveform: Decodable, Sendable {
        /// "fast", "standard" or "far".
        public let profile: String
        /// The payload in hexadecimal.
        public let payload: String
        /// The sample rate in hertz.
        public let rate: Int
        /// The number of samples in the frame.
        public let count: Int
        /// Pairs of sample index and sample.
        public let samples: [[Double]]
    }

    /// Every payload length in every profile, and edge cases.
    public let frames: [Frame]
    /// A few whole frames.
    public let waveforms: [Waveform]

    /// The file's path in the repository.
    public static let file = "Tests/Modem/Vectors/vectors.json"
    /// The path of the script that prints the file.
    public static let script = "Tests/Modem/Vectors/reference_encoder.py"

    /// The vectors as the file has them.
    public static func stored() throws -> Vectors {
        try JSONDecoder().decode(Vectors.self, from: Repository.contents(file))
    }
}
