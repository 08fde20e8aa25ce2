/// The match of messages and subscriptions.
///
/// A publication P of device A and a subscription S of device B match while
/// - both are alive, and of one project,
/// - S selects P: the same namespace, and the same type or none, and
/// - they are near: B hears a token of P, or A hears a token of S. If P is sealed, A must have sent its key for that token.
///
/// No device hears its own tokens (`record`), so A is never B.
///
/// A change examines only the pairs that it may affect.
extension Live {
    /// Cost: the number of tokens of both, which live for two minutes each.
    func isMatch(_ pair: Pair, now: Moment) -> Bool {
        guard let offer = offers[pair.publication], let wish = wishes[pair.subscription] else { return false }
        let (publication, filter) = (offer.publication, wish.subscription.filter)
        guard offer.isAlive(now), wish.expires > now, offer.project == wish.project,
            publication.namespace == filter.namespace, filter.type.isEmpty || filter.type == publication.type
        else { return false }
        let keyed = devices[offer.device]?.salt == nil ? nil : pair.publication
        return hears(wish.device, oneOf: offer.tokens, now: now)
            || hears(offer.device, oneOf: wish.tokens, withKeyOf: keyed, now: now)
            || (assumedUntil > now && assumed.contains(pair))
    }

    /// - Parameter publication: the publication whose key the sighting must have; nil if no key is needed.
    private func hears(
        _ device: Int64, oneOf tokens: [Int64], withKeyOf publication: Int64? = nil, now: Moment
    ) -> Bool {
        guard let heard = devices[device]?.heard else { return false }
        return tokens.contains { token in
            guard let sighting = heard[token], sighting.expires > now else { return false }
            return publication.map { sighting.keys[$0] != nil } ?? true
        }
    }

    /// The keys of a sealed publication that the subscriber can use: for tokens that it hears, and for its own that the publisher hears.
    func keys(_ pair: Pair) -> [WrappedKey] {
        guard let offer = offers[pair.publication], let wish = wishes[pair.subscription] else { return [] }
        let heard = devices[wish.device]?.heard ?? [:]
        let own = offer.tokens.compactMap { row in heard[row] == nil ? nil : tokens[row] }
            .compactMap { token in token.key.map { WrappedKey(token: token.name.data, key: $0) } }
        let sightings = devices[offer.device]?.heard ?? [:]
        let sent = wish.tokens.compactMap { row in
            tokens[row].flatMap { token in
                sightings[row]?.keys[pair.publication].map { WrappedKey(token: token.name.data, key: $0) }
            }
        }
        return own + sent
    }

    /// The pairs that may be near because a device hears a token.
    func pairs(_ hearer: Int64, _ token: Int64) -> [Pair] {
        guard let device = devices[hearer] else { return [] }
        switch tokens[token]?.binding {
        case .publication(let row): return device.subscriptions.map { Pair(publication: row, subscription: $0) }
        case .subscription(let row): return device.publications.map { Pair(publication: $0, subscription: row) }
        case nil: return []
        }
    }

    /// The pairs that may be near because a device hears others.
    private func pairsHeard(by device: Int64) -> [Pair] {
        (devices[device]?.heard.keys).map { $0.flatMap { pairs(device, $0) } } ?? []
    }

    /// The pairs that may be near because others hear one of the tokens.
    private func pairsHearing(_ tokens: [Int64]) -> [Pair] {
        tokens.flatMap { token in (hearers[token] ?? []).flatMap { pairs($0, token) } }
    }

    /// The pairs of a publication that was created or revived.
    func pairs(publication row: Int64) -> [Pair] {
        guard let offer = offers[row] else { return [] }
        return pairsHeard(by: offer.device).filter { $0.publication == row } + pairsHearing(offer.tokens)
    }

    /// The pairs of a subscription that was created or revived.
    func pairs(subscription row: Int64) -> [Pair] {
        guard let wish = wishes[row] else { return [] }
        return pairsHeard(by: wish.device).filter { $0.subscription == row } + pairsHearing(wish.tokens)
    }

    /// Adds the pairs whose rows are outdated to `unsettled`.
    /// - Returns: whether there are any.
    @discardableResult
    mutating func touch(_ pairs: some Sequence<Pair>, now: Moment) -> Bool {
        var isAny = false
        for pair in pairs where isMatch(pair, now: now) != (deliveries[pair]?.isFound ?? false) {
            unsettled.insert(pair)
            isAny = true
        }
        return isAny
    }

    /// Finds or loses the pairs in `unsettled`.
    mutating func settle(_ changes: inout RowChanges, now: Moment) {
        guard !unsettled.isEmpty else { return }
        for pair in unsettled.sorted() {
            let isFound = isMatch(pair, now: now)
            guard isFound != (deliveries[pair]?.isFound ?? false), let device = wishes[pair.subscription]?.device,
                let sequence = devices[device].map({ $0.sequence + 1 })
            else { continue }
            uncommitted.insert(device)
            if let publisher = offers[pair.publication]?.device { uncommitted.insert(publisher) }
            let delivery = Delivery(sequence: sequence, isFound: isFound, changed: now)
            changes.delivered.append(
                .init(pair: pair, device: device, replaced: deliveries[pair]?.sequence, delivery: delivery))
            changes.sequences[device] = sequence
            changes.woken.devices.insert(device)
            changes.woken.found += isFound ? 1 : 0
            changes.woken.lost += isFound ? 0 : 1
            devices[device]?.sequence = sequence
            insert(delivery, of: pair)
        }
        unsettled = []
    }

    mutating func insert(_ delivery: Delivery, of pair: Pair) {
        deliveries[pair] = delivery
        offers[pair.publication]?.subscriptions.insert(pair.subscription)
        wishes[pair.subscription]?.publications.insert(pair.publication)
        if delivery.isFound {
            lossesToForget.remove(pair)
        } else {
            lossesToForget.set(pair, at: delivery.changed)
        }
    }

    mutating func remove(_ pair: Pair) {
        deliveries[pair] = nil
        offers[pair.publication]?.subscriptions.remove(pair.subscription)
        wishes[pair.subscription]?.publications.remove(pair.publication)
        lossesToForget.remove(pair)
        assumed.remove(pair)
    }
}
