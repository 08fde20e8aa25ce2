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

extension Receiver {
    /// The baseband of the first channel.
    var baseband: BasebandInput { _read { yield inputs[0].baseband } }
}
