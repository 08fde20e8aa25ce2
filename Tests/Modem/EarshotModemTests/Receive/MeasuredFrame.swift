import EarshotCoding

@testable import EarshotModem

/// A view of a frame, and its measurer.
final class MeasuredFrame {
    let view: FrameView
    let noise: ProfileNoise
    var measurer: FrameMeasurer

    init(_ view: FrameView, _ histories: ChannelHistories, noise: ProfileNoise) {
        self.view = view
        self.noise = noise
        measurer = FrameMeasurer(format: view.format, histories: histories, noise: noise)
    }

    var place: Candidate { view.place }
    var histories: ChannelHistories { measurer.histories }

    /// A token's frame at a place, in noise that nothing has measured.
    static func token(
        _ profile: Profile, start: Double, offsetHertz: Float = 0, in history: BasebandHistory
    ) -> MeasuredFrame {
        let format = BasebandFormat(profile: profile)
        let place = Candidate(start: start, offsetHertz: offsetHertz, score: 20, dominance: 1)
        return MeasuredFrame(
            FrameView(place: place, layout: .token, format: format), ChannelHistories([history]),
            noise: ProfileNoise(format: format, channelCount: 1))
    }

    /// A token's frame at a place in several channels of these weights, whose noise the search has measured.
    static func token(
        _ profile: Profile, start: Double, offsetHertz: Float = 0, weights: SIMD8<Float>, in channels: [BasebandHistory]
    ) -> MeasuredFrame {
        let histories = ChannelHistories(channels)
        histories.noteCopies(from: max(0, histories.endIndex - 5_000), min(5_000, histories.endIndex))
        var search = ProfileSearch(profile, channelCount: channels.count)
        _ = search.searchBlocks(histories)
        var place = Candidate(start: start, offsetHertz: offsetHertz, score: 20, dominance: 1)
        place.shares = ChannelShares(weights: weights)
        return MeasuredFrame(
            FrameView(place: place, layout: .token, format: search.format), histories, noise: search.noise)
    }
}

extension FrameView {
    /// The track of this view, whose offset is constant.
    func track() -> MotionTrack {
        var track = MotionTrack(format: format)
        track.write(self)
        return track
    }
}
