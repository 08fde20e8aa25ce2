import EarshotBasics
import Foundation
import GRDB
import NearbyWire
import Testing

@testable import EarshotServer

/// The rules of matching in their simplest form: the model checks every pair each time.
private struct Model {
    struct Offer {
        let device: Int
        let text: String
        let type: String
        let token: Data
        let step: Int
        var expires: Moment
    }
    struct Wish {
        let device: Int
        let type: String
        let token: Data
        let step: Int
        var expires: Moment
    }

    var projects: [String] = []
    var offers: [String: Offer] = [:]
    var wishes: [String: Wish] = [:]
    /// The expiry by hearing device and token.
    var heard: [Int: [Data: Moment]] = [:]
    /// The last report by device.
    var reported: [Int: Moment] = [:]

    func near(_ device: Int, _ now: Moment) -> [String] {
        var found: [String] = []
        for wish in wishes.values where wish.device == device && wish.expires > now {
            for offer in offers.values where offer.expires > now && offer.device != device {
                guard projects[offer.device] == projects[device] else { continue }
                guard wish.type.isEmpty || wish.type == offer.type else { continue }
                let isHeard = (heard[device]?[offer.token] ?? now) > now
                let hears = (heard[offer.device]?[wish.token] ?? now) > now
                if isHeard || hears { found.append(offer.text) }
            }
        }
        return found.sorted()
    }
}

/// Random actions of random devices, compared with the model after each.
@Suite struct ModelTests {
    @Test(arguments: [1, 2, 3] as [UInt64], StoreKind.all)
    func randomRoom(seed: UInt64, kind: StoreKind) async throws {
        var random = SeededGenerator(seed: seed)
        let world = try World(kind) {
            // Tokens that never change keep the model short; other tests cover rotation.
            $0.tokenLifetime = .seconds(86_400)
            $0.silence = .seconds(60)
        }
        var devices: [Device] = []
        var model = Model()
        for index in 0..<6 {
            model.projects.append(index < 4 ? "ours" : "theirs")
            devices.append(try await world.device(model.projects[index]))
        }
        var foundOnce = 0
        for step in 0..<250 {
            let index = Int.random(in: devices.indices, using: &random)
            try await act(index, devices[index], world, &model, &random, step)
            for (index, device) in devices.enumerated() {
                let near = try await device.near()
                foundOnce += near.count
                try #require(
                    near == model.near(index, world.clock.now), "seed \(seed), step \(step), device \(index)")
            }
        }
        #expect(foundOnce > 50, "the room was empty")
        if kind == .sqlite { try await countsAreRight(world) }
    }

    /// Memory and the rows agree, and so do the counts of a key and the numbers of its items.
    private func countsAreRight(_ world: World) async throws {
        let now = world.clock.now
        let stored = try await world.sqlite.pool.read { Live(try LiveRows($0), isRestart: false, now: now) }
        let kept = world.sqlite.live.withLock { $0 }
        #expect(kept.unsettled.isEmpty)
        #expect(stored.deliveries.mapValues(\.sequence) == kept.deliveries.mapValues(\.sequence))
        #expect(stored.offers.mapValues(\.expires) == kept.offers.mapValues(\.expires))
        #expect(stored.wishes.mapValues(\.expires) == kept.wishes.mapValues(\.expires))
        #expect(Set(stored.tokens.keys) == Set(kept.tokens.keys))
        #expect(stored.devices.mapValues(\.sequence) == kept.devices.mapValues(\.sequence))
        #expect(kept.devices.values.reduce(0) { $0 + $1.heard.count } == kept.sightingCount)
        for (key, items) in kept.keys {
            #expect(items.devices.count == 1)
            #expect(
                items.publications
                    == kept.devices.values.filter { $0.key == key }.reduce(0) { $0 + $1.publications.count })
            #expect(stored.keys[key]?.publications == items.publications)
            #expect(stored.keys[key]?.subscriptions == items.subscriptions)
        }
    }

    private func act(
        _ index: Int, _ device: Device, _ world: World, _ model: inout Model, _ random: inout SeededGenerator,
        _ step: Int
    ) async throws {
        let types = ["", "a", "b"]
        let type = types.randomElement(using: &random) ?? ""
        let seconds = Int.random(in: 5...120, using: &random)
        let expires = world.clock.now + .seconds(seconds)
        // Identifiers and tokens differ in each run, but the steps that created them are the same.
        let tokens = (model.offers.values.map { ($0.step, $0.token) } + model.wishes.values.map { ($0.step, $0.token) })
            .sorted { $0.0 < $1.0 }.map(\.1)
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            let (id, token) = try await device.publish("text \(step)", type: type, for: .seconds(seconds))
            model.offers[id] = .init(
                device: index, text: "text \(step)", type: type, token: token, step: step, expires: expires)
        case 2:
            let (id, token) = try await device.subscribe(type: type, for: .seconds(seconds))
            model.wishes[id] = .init(device: index, type: type, token: token, step: step, expires: expires)
        case 3:
            guard
                let id = model.offers.filter({ $0.value.device == index })
                    .min(by: { $0.value.step < $1.value.step })?.key
            else { return }
            try await world.service.unpublish(id, for: device.session)
            model.offers[id] = nil
        case 4:
            guard
                let id = model.wishes.filter({ $0.value.device == index })
                    .min(by: { $0.value.step < $1.value.step })?.key
            else { return }
            try await world.service.unsubscribe(id, for: device.session)
            model.wishes[id] = nil
        case 5:
            guard let token = tokens.randomElement(using: &random) else { return }
            try await device.lose(token)
            model.reported[index] = world.clock.now
            model.heard[index, default: [:]][token] = nil
        case 6:
            try await world.pass(.seconds(seconds / 4))
            for (device, last) in model.reported where last + world.service.limits.silence <= world.clock.now {
                model.heard[device] = nil
            }
            model.offers = model.offers.filter { $0.value.expires > world.clock.now }
            model.wishes = model.wishes.filter { $0.value.expires > world.clock.now }
        default:
            guard let token = tokens.randomElement(using: &random) else { return }
            model.reported[index] = world.clock.now
            if try await device.hear(token) == [.valid] {
                model.heard[index, default: [:]][token] = world.clock.now + world.service.limits.sightingLifetime
            }
        }
    }
}
