import EarshotCoding

/// A possible frame on the air: its place, its layout, and its profile in the baseband.
struct FrameView {
    /// The frame's start and frequency offset.
    var place: Candidate
    /// The number and kind of its tones.
    let layout: FrameLayout
    let format: BasebandFormat

    var profile: Profile { format.profile }
    /// The number of samples from one symbol's start to the next, at the place's offset.
    var symbolLength: Double { format.symbolLength(offsetHertz: place.offsetHertz) }

    /// The number of samples from the frame's start to its end.
    var length: Double { Double(layout.toneCount) * symbolLength }

    /// The frame `index` burst spacings later, in a burst that begins with this one.
    func burstFrame(_ index: Int) -> FrameView {
        moved(by: Double(index * FrameLayout.burstSpacingToneCount) * symbolLength)
    }

    /// The same frame at another place.
    func at(_ place: Candidate) -> FrameView {
        var view = self
        view.place = place
        return view
    }

    /// The same frame, `samples` later and `offsetHertz` higher.
    func moved(by samples: Double, offsetHertz: Float = 0) -> FrameView {
        var view = self
        view.place.start += samples
        view.place.offsetHertz += offsetHertz
        return view
    }
}
