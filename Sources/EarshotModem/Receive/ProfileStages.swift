/// What the receiver keeps for one profile: its search, its refinement and its tone energies.
///
/// A class, because a receiver holds a list of them and they own buffers that must not be copied.
final class ProfileStages {
    let format: BasebandFormat
    var search: SyncSearch
    /// Where repeats are combined.
    let repeats: RepeatSearch?
    var refinement: CandidateRefinement
    var energies: ToneEnergies
    var products: ToneTransform
    var coherent: CoherentMetrics
    var track: MotionTrack
    /// Where tokens that were heard before are recognised.
    var recognition: TokenRecognition?

    /// - Parameters:
    ///   - repeatCount: how many repeats are combined, 1 for none.
    ///   - keptCount: how many samples of the baseband are kept.
    ///   - recognisesTokens: whether tokens that were heard before are recognised.
    init(
        _ profile: Profile, combining repeatCount: Int = 1, keptCount: Int = 0, recognisesTokens: Bool = false
    ) {
        let format = BasebandFormat(profile: profile)
        let repeats =
            repeatCount > 1 ? RepeatSearch(format: format, repeatCount: repeatCount, keptCount: keptCount) : nil
        self.format = format
        self.repeats = repeats
        search = SyncSearch(format: format, repeats: repeats)
        refinement = CandidateRefinement(format: format)
        energies = ToneEnergies(format: format)
        products = ToneTransform(format: format)
        coherent = CoherentMetrics(format: format)
        track = MotionTrack(format: format)
        recognition = recognisesTokens ? TokenRecognition(format) : nil
    }

    var profile: Profile { format.profile }
}
