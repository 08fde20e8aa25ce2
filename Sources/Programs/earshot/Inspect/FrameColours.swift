import EarshotDrawing
import EarshotModem

/// The colours of the frames in a picture.
///
/// A frame alone has the colour of its profile, and white data tones. Frames that overlap in time have a colour each, for
/// their outlines, labels and data tones, so that the reader sees which tone belongs to which talker.
struct FrameColours {
    /// Distinct from the colours of the energies, of sync tones and of length headers. More frames at once repeat them.
    static let talkers = [Palette.data, "#6dff8e", "#ff8a7a", "#b9a6ff"]

    /// For each frame its talker's place in `talkers`; nil if the frame overlaps no other.
    private let places: [Int?]
    private let profileNames: [String]

    init(_ frames: [ReceivedFrame]) {
        profileNames = frames.map(\.profileName)
        var places = [Int?](repeating: nil, count: frames.count)
        let byStart = frames.indices.sorted { frames[$0].startSample < frames[$1].startSample }
        for index in byStart {
            let others = frames.indices.filter { $0 != index && frames[$0].overlaps(frames[index]) }
            guard !others.isEmpty else { continue }
            let used = others.compactMap { places[$0] }
            // The first free colour, else the one that the fewest of the others have.
            places[index] = Self.talkers.indices.min { a, b in
                (used.count { $0 == a }, a) < (used.count { $0 == b }, b)
            }
        }
        self.places = places
    }

    /// Whether any frames overlap.
    var hasOverlaps: Bool { places.contains { $0 != nil } }

    /// The profiles of frames that overlap no other.
    var profilesAlone: Set<String> { Set(zip(places, profileNames).filter { $0.0 == nil }.map(\.1)) }

    /// The colour of a frame's outline and label.
    func outline(_ index: Int) -> String {
        places[index].map { Self.talkers[$0] } ?? Palette.profile(profileNames[index])
    }

    /// The colour of a frame's data tones.
    func data(_ index: Int) -> String { places[index].map { Self.talkers[$0] } ?? Palette.data }
}

extension ReceivedFrame {
    /// By more than a twentieth of the shorter frame: measured times of frames back to back may overlap by less.
    fileprivate func overlaps(_ other: ReceivedFrame) -> Bool {
        let common = min(endSample, other.endSample) - max(startSample, other.startSample)
        return 20 * common > min(endSample - startSample, other.endSample - other.startSample)
    }
}
