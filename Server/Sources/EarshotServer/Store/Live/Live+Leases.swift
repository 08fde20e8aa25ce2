import FoundationEssentials

extension Live {
    mutating func insert(_ row: Int64, _ device: Device) {
        reserve(row: row)
        devices[row] = device
        sessions[device.hash] = row
        keys[device.key, default: KeyItems()].devices.insert(row)
        deviceEnds.set(row, at: device.expires)
    }

    mutating func insert(_ offer: Offer) {
        let row = offer.publication.row
        reserve(row: row)
        offers[row] = offer
        guard offer.ended == nil else { return }
        offerRows[offer.publication.identifier] = row
        if let order = offer.order { offerOrders[OrderName(device: offer.device, key: order)] = row }
        devices[offer.device]?.publications.insert(row)
        if let key = devices[offer.device]?.key { keys[key]?.publications += 1 }
        offerEnds.set(row, at: offer.expires)
    }

    mutating func insert(_ wish: Wish) {
        let row = wish.subscription.row
        reserve(row: row)
        wishes[row] = wish
        wishRows[wish.subscription.identifier] = row
        if let order = wish.order { wishOrders[OrderName(device: wish.device, key: order)] = row }
        devices[wish.device]?.subscriptions.insert(row)
        if let key = devices[wish.device]?.key { keys[key]?.subscriptions += 1 }
        wishEnds.set(row, at: wish.expires)
    }

    mutating func insert(_ row: Int64, _ token: Token) {
        reserve(row: row)
        tokens[row] = token
        tokenRows[token.name] = row
        tokensToForget.set(row, at: token.expires)
        switch token.binding {
        case .publication(let offer): offers[offer]?.tokens.append(row)
        case .subscription(let wish): wishes[wish]?.tokens.append(row)
        }
    }

    /// Checks that the session is live, and returns the new end of its lease.
    ///
    /// If this throws, the session ended after the request was accepted, and the client must open a new one.
    func prolonged(_ renewal: Renewal, now: Moment) throws -> Moment {
        guard let device = devices[renewal.session.device] else { throw Problem.badSession }
        return max(device.expires, now + renewal.sessionLifetime)
    }

    /// Extends the lease of the session.
    mutating func prolong(_ session: Session, to expires: Moment, _ changes: inout RowChanges) {
        devices[session.device]?.expires = expires
        changes.deviceEnds[session.device] = expires
    }

    /// The current token of a publication or subscription, or the offered one once the current one is half its life old.
    mutating func issue(
        _ offer: TokenOffer, for binding: TokenBinding, _ session: Session, _ changes: inout RowChanges, now: Moment
    ) throws -> IssuedToken {
        if let token = tokenToKeep(of: binding, offer, now: now) {
            return IssuedToken(bytes: token.name.data, issued: token.issued, expires: token.expires)
        }
        let name = try unusedName(offer, session)
        let row = newRow()
        let token = Token(
            name: name, device: session.device, binding: binding, issued: now, expires: now + offer.lifetime,
            key: offer.key)
        insert(row, token)
        changes.issuedTokens.append((row, token))
        return IssuedToken(bytes: offer.bytes, issued: now, expires: token.expires)
    }

    /// Checks that the offered token can be issued, if one is needed. It changes nothing.
    /// - Parameter binding: nil for a new publication or subscription.
    func requireUnused(
        _ offer: TokenOffer, for binding: TokenBinding?, _ session: Session, now: Moment
    ) throws {
        if let binding, tokenToKeep(of: binding, offer, now: now) != nil { return }
        _ = try unusedName(offer, session)
    }

    /// The maximum number of an item's tokens for an order to add another one.
    private static let maximumTokenCount = 8

    /// The token to keep: the current one, if it is less than half its life old. A repeated order of a sealed project
    /// gets a new one.
    private func tokenToKeep(of binding: TokenBinding, _ offer: TokenOffer, now: Moment) -> Token? {
        let rows =
            switch binding {
            case .publication(let row): offers[row]?.tokens ?? []
            case .subscription(let row): wishes[row]?.tokens ?? []
            }
        guard let present = rows.last.flatMap({ tokens[$0] }) else { return nil }
        if offer.isForgetful, rows.count < Self.maximumTokenCount, present.name.data != offer.bytes { return nil }
        return present.issued + offer.lifetime / 2 > now ? present : nil
    }

    /// The offered name. It has 64 random bits, so a collision is as unlikely as a correct guess.
    private func unusedName(_ offer: TokenOffer, _ session: Session) throws -> TokenName {
        guard let name = TokenName(offer.bytes, project: session.project), tokenRows[name] == nil else {
            throw Problem.tokenTaken
        }
        return name
    }

    /// Ends a publication. The subscriptions that found it lose it.
    mutating func endOffer(_ row: Int64, _ changes: inout RowChanges, now: Moment) {
        guard let offer = offers[row], offer.ended == nil else { return }
        uncommitted.insert(offer.device)
        offers[row]?.ended = now
        offerRows[offer.publication.identifier] = nil
        if let order = offer.order { offerOrders[OrderName(device: offer.device, key: order)] = nil }
        devices[offer.device]?.publications.remove(row)
        if let key = devices[offer.device]?.key { keys[key]?.publications -= 1 }
        offerEnds.remove(row)
        guard !offer.subscriptions.isEmpty else {
            offers[row] = nil
            changes.deletedPublications.append(row)
            return
        }
        offersToForget.set(row, at: now)
        changes.endedPublications.append((row, now))
        touch(offer.subscriptions.map { Pair(publication: row, subscription: $0) }, now: now)
    }

    /// Ends a subscription. No device needs to be notified.
    mutating func endWish(_ row: Int64, _ changes: inout RowChanges) {
        guard let wish = wishes[row] else { return }
        uncommitted.insert(wish.device)
        for publication in wish.publications {
            let pair = Pair(publication: publication, subscription: row)
            if let delivery = deliveries[pair] {
                changes.deletedDeliveries.append((wish.device, delivery.sequence))
            }
            remove(pair)
        }
        wishes[row] = nil
        wishRows[wish.subscription.identifier] = nil
        if let order = wish.order { wishOrders[OrderName(device: wish.device, key: order)] = nil }
        devices[wish.device]?.subscriptions.remove(row)
        if let key = devices[wish.device]?.key { keys[key]?.subscriptions -= 1 }
        wishEnds.remove(row)
        changes.deletedSubscriptions.append(row)
    }

    /// Ends a device with all its items.
    mutating func endDevice(_ row: Int64, _ changes: inout RowChanges, now: Moment) {
        guard let device = devices[row] else { return }
        uncommitted.insert(row)
        ending.insert(device.hash)
        for offer in device.publications { endOffer(offer, &changes, now: now) }
        for wish in device.subscriptions { endWish(wish, &changes) }
        endSightings(of: row, now: now)
        devices[row] = nil
        sessions[device.hash] = nil
        keys[device.key]?.devices.remove(row)
        if keys[device.key]?.devices.isEmpty == true { keys[device.key] = nil }
        deviceEnds.remove(row)
        changes.deletedDevices.append(row)
        // The device's own stream must end.
        changes.woken.devices.insert(row)
    }

    /// Checks that one more item fits the limits of the device and of its key.
    ///
    /// For the device's limit only live items count. For the key's limit expired ones count until they are swept.
    func requirePublicationRoom(_ order: PublicationOrder, now: Moment) throws {
        let session = order.renewal.session
        let all = devices[session.device]?.publications ?? []
        guard all.count < order.perDevice || all.count(where: { offers[$0]?.isAlive(now) ?? false }) < order.perDevice
        else { throw Problem.quota("publications", limit: order.perDevice, per: "device") }
        guard keys[session.key]?.publications ?? 0 < order.perKey else {
            throw Problem.quota("publications", limit: order.perKey, per: "key")
        }
    }

    /// The same check for a subscription.
    func requireSubscriptionRoom(_ order: SubscriptionOrder, now: Moment) throws {
        let session = order.renewal.session
        let all = devices[session.device]?.subscriptions ?? []
        let alive = all.count { wishes[$0].map { $0.expires > now } ?? false }
        guard alive < order.perDevice else {
            throw Problem.quota("subscriptions", limit: order.perDevice, per: "device")
        }
        guard keys[session.key]?.subscriptions ?? 0 < order.perKey else {
            throw Problem.quota("subscriptions", limit: order.perKey, per: "key")
        }
    }
}
