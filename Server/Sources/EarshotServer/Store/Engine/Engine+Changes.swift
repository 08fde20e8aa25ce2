import FoundationEssentials

extension Engine {
    /// The position in the changes of a device, and whether a stream can resume after `cursor`; nil if the session has ended.
    func position(of session: Session, after cursor: Int64?) async throws -> StreamPosition? {
        try await committed(session) { live, now in
            guard let device = live.devices[session.device], device.expires > now,
                !live.revokedKeys.contains(device.key)
            else { return nil }
            let isResumed = cursor.map { $0 >= device.forgotten && $0 <= device.sequence } ?? false
            return StreamPosition(isResumed: isResumed, last: device.sequence)
        }
    }

    /// A page of changes, or of found messages, from the disk.
    func changes(of session: Session, _ query: ChangeQuery) async throws -> ChangePage {
        var noted = try await committed(session) { live, _ in live.changes(of: session.device, query) }
        let (cursor, isFull) = (noted.last?.delivery.sequence ?? query.after, noted.count == query.limit)
        let untold = noted.filter(\.isUntold)
        if !untold.isEmpty {
            // Forget it before the reader continues: later no process would know that the device did not get the
            // message.
            _ = try await settle { live, changes, now in live.forget(untold, of: session.device, &changes, now: now) }
            noted.removeAll(where: \.isUntold)
        }
        let contents = noted.isEmpty ? [:] : try await log.contents(of: noted.map(\.publication.row))
        let changes = noted.compactMap { change in
            // If there is no content, the change was forgotten meanwhile.
            contents[change.publication.row].map { content in
                Change(
                    sequence: change.delivery.sequence, isFound: change.delivery.isFound,
                    subscription: change.subscription, publication: change.publication.identifier,
                    message: Message(
                        namespace: change.publication.namespace, type: change.publication.type, content: content,
                        keys: change.keys))
            }
        }
        // A key may have arrived meanwhile.
        return ChangePage(changes: changes, cursor: cursor, isFull: isFull || !untold.isEmpty)
    }
}

extension Live {
    fileprivate struct NotedChange: Sendable {
        let pair: Pair
        let delivery: Delivery
        let subscription: String
        let publication: Publication
        let keys: [WrappedKey]
        /// Whether the device cannot read the message, because it is sealed and has no key. Keys are in memory only, so
        /// after a restart they are missing until a device reports again.
        let isUntold: Bool
    }

    /// Forgets that messages were found, because the device did not get them. With the first key they are found again.
    fileprivate mutating func forget(
        _ untold: [NotedChange], of device: Int64, _ changes: inout RowChanges, now: Moment
    ) {
        for change in untold where deliveries[change.pair]?.sequence == change.delivery.sequence {
            uncommitted.insert(device)
            remove(change.pair)
            changes.deletedDeliveries.append((device, change.delivery.sequence))
            touch([change.pair], now: now)
        }
    }

    /// The changes of a device in their order. Cost: the number of messages that its subscriptions found, or lost
    /// recently.
    fileprivate func changes(of device: Int64, _ query: ChangeQuery) -> [NotedChange] {
        guard let device = devices[device], device.sequence > query.after else { return [] }
        var changes: [NotedChange] = []
        for row in device.subscriptions {
            guard let wish = wishes[row] else { continue }
            for publication in wish.publications {
                let pair = Pair(publication: publication, subscription: row)
                guard let delivery = deliveries[pair],
                    delivery.sequence > query.after, delivery.sequence <= query.through,
                    delivery.isFound || !query.isFoundOnly, let offer = offers[publication]
                else { continue }
                let isSealed = delivery.isFound && device.salt != nil
                let keys = isSealed ? self.keys(pair) : []
                changes.append(
                    NotedChange(
                        pair: pair, delivery: delivery, subscription: wish.subscription.identifier,
                        publication: offer.publication, keys: keys, isUntold: isSealed && keys.isEmpty))
            }
        }
        changes.sort { $0.delivery.sequence < $1.delivery.sequence }
        return Array(changes.prefix(query.limit))
    }
}
