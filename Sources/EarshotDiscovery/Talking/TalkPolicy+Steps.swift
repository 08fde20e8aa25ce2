public import EarshotCoding

/// What goes into a step, and what comes out.
extension TalkPolicy {
    /// What to do.
    public enum Action: Equatable, Sendable {
        /// Listen; step again then, or when something is heard.
        case listen(untilSeconds: Double)
        /// Talk from then on, and step again when that is over.
        case talk(atSeconds: Double)
    }

    /// A token that was heard.
    public struct Heard: Sendable, Equatable {
        /// Whose.
        public var token: Payload
        /// When it began.
        public var startSeconds: Double

        /// See the properties of the same names.
        public init(token: Payload, startSeconds: Double) {
            self.token = token
            self.startSeconds = startSeconds
        }
    }

    /// What a receiver knows beside tokens: from its energy, and from frames that it is in the middle of.
    public struct Band: Sendable, Equatable {
        /// Whether something is on the air now.
        public var isBusy: Bool
        /// For how long something was since the last step.
        public var busySeconds: Double

        /// See the properties of the same names.
        public init(isBusy: Bool = false, busySeconds: Double = 0) {
            self.isBusy = isBusy
            self.busySeconds = busySeconds
        }
    }
}
