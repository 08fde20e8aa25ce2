import SimplePushKit

/// A user, its links, and how far the messages for it have got.
final class UserRecord {
    let id: String
    var name: String
    let key: String
    /// Kept by the user's provider. The server can reach the user if there is one.
    var notification: ServerLink?
    /// Kept by the user's app, and by each of its commands.
    var controls: [ServerLink] = []
    /// The calls that ring or go on.
    var calls: Set<String> = []

    /// What waits on the disk, and what is on its way there.
    var waiting = WaitingSum()
    /// The last message that was sent on the present notification link.
    var sentSequence: Int64 = 0
    /// Sent on the present notification link, and not acknowledged.
    var unacknowledged: [Int64] = []
    /// The store reads what comes next.
    var isReading = false

    var isHere: Bool { notification != nil }

    init(_ stored: StoredUser) {
        id = stored.id
        name = stored.name
        key = stored.key
    }

    /// Tells every app of the user.
    func tellControls(_ frame: ServerFrame) {
        for link in controls { link.send(frame) }
    }
}
