/// What the receiver keeps for one profile: its search, its refinement and its tone energies.
///
/// A class, because a receiver holds a list of them and they own buffers that must not be copied.
final class ProfileChain {
    let format: BasebandFormat
    var search: SyncSearch
    var refinement: CandidateRefinement
    var energies: ToneEnergies
    var products: ToneTransform
    var coherent: CoherentMetrics
    var track: MotionTrack

    init(_ profile: Profile) {
        format = BasebandFormat(profile: profile)
        search = SyncSearch(format: format)
        refinement = CandidateRefinement(format: format)
        energies = ToneEnergies(format: format)
        products = ToneTransform(format: format)
        coherent = CoherentMetrics(format: format)
        track = MotionTrack(format: format)
    }

    var profile: Profile { format.profile }
}
