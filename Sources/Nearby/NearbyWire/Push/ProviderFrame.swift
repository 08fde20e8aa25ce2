/// A frame from a provider to the agent.
package enum ProviderFrame: OneKeyFrame {
    /// `start` has called its completion handler.
    package struct Started: Codable, Sendable, Hashable {
        /// nil for success.
        package var error: String?

        package init(error: String? = nil) { self.error = error }
    }

    /// A call or a message of push-to-talk. The answer comes when it is on the disk.
    package struct Report: Codable, Sendable, Hashable {
        /// Unique within the process; 1 to 64 bytes.
        package var id: String
        package var kind: PushFrame.Event.Kind
        package var userInfo: PropertyList

        package init(id: String, kind: PushFrame.Event.Kind, userInfo: PropertyList) {
            self.id = id
            self.kind = kind
            self.userInfo = userInfo
        }
    }

    /// A notification to show. The answer comes when it is on the disk.
    package struct Notify: Codable, Sendable, Hashable {
        /// The limits of the texts.
        package static let maximumIdentifierByteCount = 128
        package static let maximumTitleByteCount = 256
        package static let maximumBodyByteCount = 4_096
        package static let maximumSoundByteCount = 1_024
        package static let maximumBadge = 99_999

        /// See `Report.id`.
        package var id: String
        /// The identifier; the notification replaces a shown one with the same identifier.
        package var identifier: String
        package var title: String
        package var body: String
        /// A sound of the desktop's theme or the absolute path of a file; empty for silence, nil for the desktop's sound for new messages.
        package var sound: String?
        /// The number on the app's icon, 0 for none; nil for no change.
        package var badge: Int?

        package init(
            id: String, identifier: String, title: String, body: String, sound: String? = nil, badge: Int? = nil
        ) {
            self.id = id
            self.identifier = identifier
            self.title = title
            self.body = body
            self.sound = sound
            self.badge = badge
        }
    }

    case started(Started)
    case report(Report)
    case notify(Notify)
    /// `stop` has called its completion handler.
    case stopped
    /// The Ethernet network with the primary route is not the provider's.
    case unmatchEthernet

    package static let parts: [String: FramePart<ProviderFrame>] = [
        "started": FramePart(ProviderFrame.started), "report": FramePart(ProviderFrame.report),
        "notify": FramePart(ProviderFrame.notify), "stopped": FramePart(.stopped),
        "unmatchEthernet": FramePart(.unmatchEthernet),
    ]
}
