import EarshotCoding

@testable import EarshotModem

// Most stages are tested with one channel: these forms take its history.

extension FrameView {
    init(place: Candidate, layout: FrameLayout, stages: ProfileStages, history: BasebandHistory) {
        self.init(place: place, layout: layout, stages: stages, histories: ChannelHistories([history]))
    }

    /// The history of the first channel.
    var history: BasebandHistory { histories[0] }
}

extension ProfileStages {
    func searchBlocks(_ history: BasebandHistory) -> Bool { searchBlocks(ChannelHistories([history])) }

    func refine(_ candidate: Candidate, _ history: BasebandHistory) -> Candidate? {
        refine(candidate, ChannelHistories([history]))
    }
}

extension FrameView {
    /// A token's frame at a place in several channels of these weights, whose noise the search has measured.
    static func token(
        _ profile: Profile, start: Double, offsetHertz: Float = 0, weights: SIMD8<Float>, in channels: [BasebandHistory]
    ) -> FrameView {
        let histories = ChannelHistories(channels)
        histories.noteCopies(from: max(0, histories.endIndex - 5_000), min(5_000, histories.endIndex))
        let stages = ProfileStages(profile, channelCount: channels.count)
        _ = stages.searchBlocks(histories)
        var place = Candidate(start: start, offsetHertz: offsetHertz, score: 20, dominance: 1)
        place.shares = ChannelShares(weights: weights)
        return FrameView(place: place, layout: .token, stages: stages, histories: histories)
    }
}
