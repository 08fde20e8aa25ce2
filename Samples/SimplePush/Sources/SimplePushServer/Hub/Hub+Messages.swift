import Logging
import NIOCore
import SimplePushKit

/// Texts and invitations: storage, delivery and acknowledgement.
extension Hub {
    func send(_ text: OutgoingText, from sender: UserRecord, _ link: ServerLink) {
        guard let recipient = users[text.to] else {
            return link.send(.refusal(Refusal(.unknownUser, "There is no user \(text.to).", id: text.id)))
        }
        let message = WaitingMessage(
            recipient: recipient.id, sender: sender.id, id: text.id, kind: .text, text: text.text, sentAt: wallSeconds)
        if let refusal = refusal(of: message, for: recipient) { return link.send(.refusal(refusal)) }
        keep(message, .message(message), recipient) { hub, failure in
            if let failure { return link.send(.refusal(failure)) }
            link.send(.accepted(Accepted(id: text.id, isHere: recipient.isHere)))
        }
    }

    /// The reason why a message cannot wait for a user; nil if it can. The server never drops accepted messages for
    /// lack of space.
    func refusal(of message: WaitingMessage, for recipient: UserRecord) -> Refusal? {
        let limits = options.limits
        let isFull =
            recipient.waiting.count >= limits.waitingCount
            || recipient.waiting.byteCount + message.byteCount > limits.waitingByteCount
            || totalWaitingByteCount + message.byteCount > limits.totalByteCount
        guard isFull else { return nil }
        return Refusal(
            .full, "Too much waits for \(recipient.id) already. Try again when \(recipient.id) has been here.",
            id: message.id)
    }

    /// Writes a message, then delivers it.
    func keep(
        _ message: WaitingMessage, _ change: StoreChange, _ recipient: UserRecord,
        then: @escaping (Hub, Refusal?) -> Void
    ) {
        count(message, 1, recipient)
        self.change(change) { hub, outcome in
            switch outcome {
            case .success(.kept(let sequence)):
                then(hub, nil)
                var message = message
                message.sequence = sequence
                hub.deliver(message, recipient)
            case .success:
                // The sender repeated a message that is already stored.
                hub.count(message, -1, recipient)
                then(hub, nil)
            case .failure(let failure):
                hub.log.error("\(failure)")
                hub.count(message, -1, recipient)
                then(hub, Refusal(.storage, "The server cannot write to its disk.", id: message.id))
            }
        }
    }

    private func count(_ message: WaitingMessage, _ sign: Int, _ recipient: UserRecord) {
        recipient.waiting.count += sign
        recipient.waiting.byteCount += sign * message.byteCount
        totalWaitingByteCount += sign * message.byteCount
    }

    func forget(_ sums: [String: WaitingSum]) {
        for (recipient, sum) in sums {
            users[recipient]?.waiting.count -= sum.count
            users[recipient]?.waiting.byteCount -= sum.byteCount
            totalWaitingByteCount -= sum.byteCount
        }
    }

    // MARK: Delivery

    private func deliver(_ message: WaitingMessage, _ recipient: UserRecord) {
        let latest = recipient.waiting.highestSequence
        recipient.waiting.highestSequence = message.sequence
        // If the user has received all earlier messages, this one is sent without reading the disk.
        let isNext = recipient.sentSequence >= latest && !recipient.isReading
        if isNext, recipient.isHere, recipient.unacknowledged.count < options.limits.windowCount {
            transmit(message, recipient)
        } else {
            pump(recipient)
        }
    }

    /// Sends the waiting messages, as far as the window allows.
    func pump(_ recipient: UserRecord) {
        guard let link = recipient.notification, !recipient.isReading,
            recipient.sentSequence < recipient.waiting.highestSequence
        else { return }
        let room = options.limits.windowCount - recipient.unacknowledged.count
        // Send at least half a window at a time, so that few acknowledgements read the disk.
        guard room >= max(1, options.limits.windowCount / 2) else { return }
        recipient.isReading = true
        let highest = recipient.waiting.highestSequence
        let number = link.number
        let bound = bound!
        let box = NIOLoopBound(recipient, eventLoop: loop)
        store.read(recipient: recipient.id, after: recipient.sentSequence, limit: room) { [loop] result in
            loop.execute { bound.value.pumped(box.value, number, highest, result) }
        }
    }

    private func pumped(
        _ recipient: UserRecord, _ number: Int, _ highest: Int64, _ result: Result<[WaitingMessage], StoreFailure>
    ) {
        recipient.isReading = false
        // If the link was replaced meanwhile, the new one begins from the start.
        guard recipient.notification?.number == number else { return pump(recipient) }
        switch result {
        case .success(let messages):
            for message in messages { transmit(message, recipient) }
            if messages.isEmpty { recipient.sentSequence = max(recipient.sentSequence, highest) }
            pump(recipient)
        case .failure(let failure):
            log.error("\(failure)")
            recipient.notification?.refuse(.storage, "The server cannot read from its disk.")
        }
    }

    private func transmit(_ message: WaitingMessage, _ recipient: UserRecord) {
        guard let link = recipient.notification else { return }
        recipient.sentSequence = message.sequence
        recipient.unacknowledged.append(message.sequence)
        let name = users[message.sender]?.name ?? message.sender
        switch message.kind {
        case .text:
            link.send(
                .text(
                    DeliveredText(
                        sequence: message.sequence, id: message.id, from: message.sender, fromName: name,
                        text: message.text, sentAt: message.sentAt)))
        case .invitation:
            let isRinging = calls[message.id].map { !$0.stored.isAccepted } ?? false
            link.send(
                .invitation(
                    Invitation(
                        sequence: message.sequence, id: message.id, from: message.sender, fromName: name,
                        sentAt: message.sentAt, isMissed: !isRinging)))
        }
    }

    func acknowledge(_ acknowledgement: Acknowledgement, _ user: UserRecord, _ link: ServerLink) {
        // An older link of the same user says nothing about this one.
        guard user.notification === link else { return }
        let through = min(acknowledgement.through, user.sentSequence)
        guard let first = user.unacknowledged.first, first <= through else { return }
        user.unacknowledged.removeAll { $0 <= through }
        change(.acknowledged(recipient: user.id, through: through)) { hub, outcome in
            if case .success(.removed(let sums)) = outcome { hub.forget(sums) }
        }
        pump(user)
    }
}
