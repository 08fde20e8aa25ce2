import EarshotCoding
import EarshotDiscovery
import TestSupport
import Testing

@Suite(.apart, .timeLimit(.minutes(1))) struct DiscoveryTests {
    private let clock = ManualClock()
    private let sound = FakeMedium(.audio)
    private let radio = FakeMedium(DiscoveryMediumKind(name: "radio", worksInBackground: true))
    private let token: Payload
    private let own: Payload

    init() throws {
        token = try Payload(hex: "0123456789abcdef")
        own = try Payload(hex: "fedcba9876543210")
    }

    private func discovery(_ strategy: DiscoveryStrategy = .init(), tokens: AsyncStream<Payload>? = nil)
        -> Discovery<ManualClock>
    {
        Discovery(strategy, media: [sound, radio], tokens: tokens ?? .always(own), clock: clock)
    }

    private func seen(_ token: Payload, seconds: Int) -> MediumEvent {
        .sighting(Sighting(token: token, patience: .seconds(seconds)))
    }

    /// Advances the time until a condition holds.
    private func letTimePass(until isEnough: () -> Bool) async {
        while !isEnough() {
            clock.advance(by: .milliseconds(50))
            for _ in 0..<20 { await Task.yield() }
        }
    }

    /// Each of two media is closed as often as it was opened, even if a run ends before it has opened them.
    @Test func `a run that has ended has closed its media`() async {
        for _ in 0..<200 {
            let discovery = discovery()
            let (sound, radio) = (sound.modes.count, radio.modes.count)
            let reading = Task { for await _ in discovery.events() {} }
            reading.cancel()
            await reading.value
            await discovery.waitUntilEnded()
            let opened = (self.sound.modes.count, self.radio.modes.count)
            #expect(opened == (sound, radio) || (self.sound.isClosed && self.radio.isClosed))
            // A run that has ended opens nothing later.
            for _ in 0..<20 { await Task.yield() }
            #expect((self.sound.modes.count, self.radio.modes.count) == opened)
        }
    }

    @Test func `the first token is known before a medium opens`() async {
        let discovery = Discovery(.init(), media: [sound, radio], first: own, tokens: .none, clock: clock)
        let reading = Task { for await _ in discovery.events() {} }
        await letTimePass { !sound.modes.isEmpty && !radio.modes.isEmpty }
        #expect(sound.tokensAtOpening == [own] && radio.tokensAtOpening == [own])
        reading.cancel()
        await discovery.waitUntilEnded()
    }

    @Test func `found on one medium, updated on another, lost in time`() async {
        var events = discovery().events().makeAsyncIterator()
        await sound.report(seen(token, seconds: 2))
        guard case .found(let found) = await events.next() else {
            Issue.record("not found")
            return
        }
        #expect(found.token == token && found.medium == .audio && found.lastHeard == .zero)
        await radio.report(seen(token, seconds: 5))
        guard case .updated(let updated) = await events.next() else {
            Issue.record("not updated")
            return
        }
        #expect(updated.media == [.audio, radio.kind])
        await letTimePass { clock.now.offset > .seconds(6) }
        guard case .lost(let lost) = await events.next() else {
            Issue.record("not lost")
            return
        }
        #expect(lost.token == token)
    }

    @Test(arguments: [DiscoveryMode.scan, .broadcast, .both])
    func `media open what the mode needs and nothing else`(mode: DiscoveryMode) async {
        var strategy = DiscoveryStrategy()
        strategy.mode = mode
        strategy.timeToLive = .seconds(1)
        let events = discovery(strategy).events()
        await sound.report(seen(token, seconds: 9))
        async let all = events.reduce(into: [DiscoveryEvent]()) { $0.append($1) }
        await letTimePass { sound.isClosed && radio.isClosed }
        let count = await all.count
        #expect(sound.modes == [mode] && radio.modes == [mode])
        #expect(sound.tokens == (mode.contains(.broadcast) ? [own] : []))
        #expect(count == (mode.contains(.scan) ? 1 : 0))
    }

    @Test func `a strategy leaves media out`() async {
        var strategy = DiscoveryStrategy()
        #expect(strategy.uses(.audio) && strategy.uses(radio.kind) && strategy.mode == .both)
        strategy.isAllowedInBackground = true
        #expect(!strategy.uses(.audio) && strategy.uses(radio.kind))
        strategy.isAllowedInBackground = false
        strategy.media = [.audio]
        strategy.timeToLive = .seconds(1)
        let events = discovery(strategy).events()
        async let count = events.reduce(0) { count, _ in count + 1 }
        await letTimePass { sound.isClosed }
        #expect(await count == 0)
        #expect(radio.modes.isEmpty && radio.tokens.isEmpty)
    }

    @Test func `the own token is ignored, also after it was rotated away`() async throws {
        let second = try Payload(hex: "00112233445566ff")
        let (tokens, source) = AsyncStream.makeStream(of: Payload.self)
        var events = discovery(tokens: tokens).events().makeAsyncIterator()
        source.yield(own)
        source.yield(second)
        while radio.tokens != [own, second] { await Task.yield() }
        await sound.report(seen(own, seconds: 9))
        await sound.report(seen(second, seconds: 9))
        await sound.report(seen(token, seconds: 9))
        guard case .found(let found) = await events.next() else {
            Issue.record("not found")
            return
        }
        #expect(found.token == token)
    }

    @Test func `problems come and go once`() async {
        var events = discovery().events().makeAsyncIterator()
        for event in [MediumEvent.problem(.noMicrophone), .problem(.noMicrophone), .solved(.noMicrophone)] {
            await sound.report(event)
        }
        await sound.report(.solved(.bandOccupied))
        await sound.report(.problem(.deviceBusy(.broadcast)))
        #expect(await events.next() == .problem(.noMicrophone, .audio))
        #expect(await events.next() == .solved(.noMicrophone, .audio))
        #expect(await events.next() == .problem(.deviceBusy(.broadcast), .audio))
    }

    @Test func `a second stream starts with the neighbours and problems there are`() async {
        let discovery = discovery()
        var first = discovery.events().makeAsyncIterator()
        await sound.report(seen(token, seconds: 2))
        await sound.report(.problem(.noLoudspeaker, detail: "unplugged"))
        let found = await first.next()
        _ = await first.next()
        var second = discovery.events().makeAsyncIterator()
        #expect(await second.next() == found)
        #expect(await second.next() == .problem(.noLoudspeaker, .audio, detail: "unplugged"))
        await sound.report(.solved(.noLoudspeaker))
        #expect(await first.next() == .solved(.noLoudspeaker, .audio))
        #expect(await second.next() == .solved(.noLoudspeaker, .audio))
        await letTimePass { clock.now.offset > .seconds(3) }
        guard case .lost(let lost) = await second.next() else {
            Issue.record("not lost")
            return
        }
        #expect(lost.token == token)
        #expect(await first.next() == .lost(lost))
        #expect(sound.modes == [.both] && radio.modes == [.both], "the media were opened once")
    }

    @Test func `one reader leaves, the other reads on`() async {
        let discovery = discovery()
        let leaver = Task {
            for await _ in discovery.events() { break }
        }
        var stayer = discovery.events().makeAsyncIterator()
        await sound.report(seen(token, seconds: 9))
        await leaver.value
        _ = await stayer.next()
        await sound.report(seen(token, seconds: 9))
        guard case .updated = await stayer.next() else {
            Issue.record("not updated")
            return
        }
        #expect(!sound.isClosed && !radio.isClosed)
    }

    @Test func `a stream asked for after the end is empty and opens nothing`() async {
        let discovery = discovery()
        do { _ = discovery.events() }
        await letTimePass { sound.isClosed && radio.isClosed || sound.modes.isEmpty && clock.now.offset > .seconds(1) }
        let opened = sound.modes.count
        for await event in discovery.events() { Issue.record("\(event)") }
        await letTimePass { clock.now.offset > .seconds(2) }
        #expect(sound.modes.count == opened)
        #expect(sound.isClosed == !sound.modes.isEmpty)
    }

    @Test func `a discovery that no stream reads any more closes all`() async {
        let task = Task { [discovery = discovery()] in
            for await _ in discovery.events() {}
        }
        while sound.modes.isEmpty || radio.modes.isEmpty { await Task.yield() }
        task.cancel()
        while !(sound.isClosed && radio.isClosed) { await Task.yield() }
    }

    /// A reader is cancelled while events arrive. The end of its stream must not wait for the lock that is held while
    /// the stream receives an event. With an earlier order of locks this test hung.
    @Test func `cancelling a reader amid events stops nothing`() async {
        for _ in 0..<500 {
            let medium = FakeMedium(.audio)
            let discovery = Discovery(media: [medium], tokens: .none)
            let reader = Task { for await _ in discovery.events() {} }
            let source = Task {
                while !Task.isCancelled {
                    await medium.report(.problem(.noMicrophone))
                    await medium.report(.solved(.noMicrophone))
                    await Task.yield()
                }
            }
            while medium.modes.isEmpty { await Task.yield() }
            for _ in 0..<20 { await Task.yield() }
            reader.cancel()
            await reader.value
            source.cancel()
            await source.value
            while !medium.isClosed { await Task.yield() }
        }
    }

    // MARK: A run after another

    private func discovery(_ mode: DiscoveryMode, after earlier: Discovery<ManualClock>?) -> Discovery<ManualClock> {
        var strategy = DiscoveryStrategy()
        (strategy.mode, strategy.media) = (mode, [.audio])
        return Discovery(strategy, media: [sound], first: nil, tokens: .none, after: earlier, clock: clock)
    }

    @Test func `another mode changes nothing in the room`() async throws {
        let first = discovery(.scan, after: nil)
        var events = first.events().makeAsyncIterator()
        let other = try Payload([1])
        await sound.report(seen(token, seconds: 9))
        await sound.report(seen(other, seconds: 2))
        let start = clock.now
        guard case .found(let found) = await events.next(), case .found(let gone) = await events.next() else {
            Issue.record("not found")
            return
        }
        await first.end()
        #expect(await events.next() == nil)
        #expect(first.forget(for: .both).isEmpty)

        let second = discovery(.both, after: first)
        events = second.events().makeAsyncIterator()
        var reader = second.events().makeAsyncIterator()
        let news = [await reader.next(), await reader.next()]
        #expect(news.contains(.found(found)) && news.contains(.found(gone)), "the neighbours of the earlier run")
        #expect(second.lastHeard(token) == start && second.lastHeard(own) == nil)
        await letTimePass { clock.now.offset > .seconds(3) }
        #expect(await events.next() == .lost(gone), "patience counts from the last token, in either run")
        await sound.report(seen(token, seconds: 9))
        guard case .updated(let updated) = await events.next() else {
            Issue.record("not known")
            return
        }
        #expect(updated.lastHeard > .seconds(3) && second.lastHeard(token) == clock.now)
        await second.end()
        #expect(second.forget(for: .broadcast) == [.lost(updated)] && second.lastHeard(token) == nil)
        #expect(second.forget(for: []).isEmpty)
    }

    /// A direct message is the same token from every device that sends it.
    @Test func `in the next run another device may have what was the own token`() async {
        let first = Discovery(media: [sound], tokens: .always(own), clock: clock)
        var events = first.events().makeAsyncIterator()
        while sound.tokens != [own] { await Task.yield() }
        await sound.report(seen(own, seconds: 9))
        await sound.report(seen(token, seconds: 9))
        guard case .found(let found) = await events.next() else {
            Issue.record("not found")
            return
        }
        #expect(found.token == token, "the own token is no neighbour in this run")
        await first.end()
        let second = discovery(.scan, after: first)
        events = second.events().makeAsyncIterator()
        await sound.report(seen(own, seconds: 9))
        guard case .found(let other) = await events.next() else {
            Issue.record("not found")
            return
        }
        #expect(other.token == own)
        await second.end()
    }

    @Test func `events before the end of a run are not lost with it`() async {
        let discovery = discovery(.scan, after: nil)
        let events = discovery.events()
        await sound.report(seen(token, seconds: 9))
        while discovery.lastHeard(token) == nil { await Task.yield() }
        await discovery.end()
        let all = await events.reduce(into: [DiscoveryEvent]()) { $0.append($1) }
        #expect(all.count == 1)
    }

    /// An unused device cannot show that it works again.
    @Test func `problems last until their device works`() async {
        let first = discovery(.both, after: nil)
        var events = first.events().makeAsyncIterator()
        let problems: [DiscoveryProblem] = [.noMicrophone, .noLoudspeaker, .bluetoothOff]
        for problem in problems {
            await sound.report(.problem(problem, detail: "first"))
            #expect(await events.next() == .problem(problem, .audio, detail: "first"))
        }
        await first.end()
        #expect(first.forget(for: .scan).isEmpty)
        let second = discovery(.scan, after: first)
        events = second.events().makeAsyncIterator()
        await sound.report(.problem(.noMicrophone, detail: "again"))
        await sound.report(.opened(.scan))
        let over = [await events.next(), await events.next()]
        #expect(over.contains(.solved(.noMicrophone, .audio)) && over.contains(.solved(.bluetoothOff, .audio)))
        #expect(await events.next() == .opened(.scan, .audio))
        await sound.report(.opened(.broadcast))
        #expect(await events.next() == .solved(.noLoudspeaker, .audio))
        await second.end()
    }

    @Test func `the next run sees an occupied band by itself`() async {
        let first = discovery(.scan, after: nil)
        var events = first.events().makeAsyncIterator()
        await sound.report(.problem(.bandOccupied))
        await sound.report(.opened(.scan))
        #expect(await events.next() == .problem(.bandOccupied, .audio))
        #expect(await events.next() == .opened(.scan, .audio), "an open microphone does not make the band quiet")
        await first.end()
        #expect(first.forget(for: .both) == [.solved(.bandOccupied, .audio)])
        let second = discovery(.both, after: first)
        events = second.events().makeAsyncIterator()
        await sound.report(.problem(.bandOccupied))
        #expect(await events.next() == .problem(.bandOccupied, .audio))
        await second.end()
    }
}
