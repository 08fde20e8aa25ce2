import SimplePushKit

/// A user, its links, and the progress of its messages.
final class UserRecord {
    let id: String
    var name: String
    let key: String
    /// The link of the user's provider. The server can reach the user if there is one.
    var notification: ServerLink?
    /// The links of the user's app and of each of its commands.
    var controls: [ServerLink] = []
    /// The ringing and connected calls.
    var calls: Set<String> = []

    /// The messages that wait on the disk, and those that are being written.
    var waiting = WaitingSum()
    /// The last message that was sent on the current notification link.
    var sentSequence: Int64 = 0
    /// The messages that were sent on the current notification link and not acknowledged.
    var unacknowledged: [Int64] = []
    /// Whether the store is reading the next messages.
    var isReading = false

    var isHere: Bool { notification != nil }

    init(_ stored: StoredUser) {
        id = stored.id
        name = stored.name
        key = stored.key
    }

    /// Sends a frame to every app of the user.
    func tellControls(_ frame: ServerFrame) {
        for link in controls { link.send(frame) }
    }
}
