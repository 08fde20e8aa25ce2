public import EarshotCoding

/// The input and the output of a step.
extension TalkPolicy {
    /// The action of the device until the next step.
    public enum Action: Equatable, Sendable {
        /// Listen until then. The next step is due then, or when a token is heard.
        case listen(untilSeconds: Double)
        /// Talk from then on. The next step is due at the end of the token.
        case talk(atSeconds: Double)
    }

    /// A token that was heard.
    public struct Heard: Sendable, Equatable {
        /// The token that the device heard.
        public var token: Payload
        /// When it began, in the seconds of the steps.
        public var startSeconds: Double

        /// Sets the properties of the same names.
        public init(token: Payload, startSeconds: Double) {
            self.token = token
            self.startSeconds = startSeconds
        }
    }

    /// The state of the band apart from decoded tokens: from its energy, and from a frame in progress in the receiver.
    public struct Band: Sendable, Equatable {
        /// Whether there will be sound in the band at the time of the step.
        public var isBusy: Bool
        /// The number of seconds with sound since the last step.
        public var busySeconds: Double

        /// Sets the properties of the same names.
        public init(isBusy: Bool = false, busySeconds: Double = 0) {
            self.isBusy = isBusy
            self.busySeconds = busySeconds
        }
    }
}
