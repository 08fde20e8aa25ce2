/// A place in time and frequency where a frame may start.
struct Candidate: Equatable {
    /// The frame's first sample, as a baseband index.
    var start: Double
    /// How far the tones lie above their places.
    var offsetHertz: Float
    /// The evidence: the sum over sync tones of capped energy over noise; about 8 for noise.
    var score: Float
    /// The sync tones' likelihood over the loudest tones', see `SyncCheck`; at first as
    /// the search's grid shows it.
    var dominance: Float = 0
}
