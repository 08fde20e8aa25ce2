import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotDiscovery
package import EarshotSound

/// A room of devices that find each other, in simulated time. The policy and the neighbourhood are
/// the real ones; the ears may be of any kind.
///
/// Time advances in ticks of 10 ms, as a sound device delivers blocks.
package struct RoomSimulation<Ears: RoomEars> {
    private struct Device {
        var policy: TalkPolicy
        var neighbourhood = Neighbourhood()
        let token: Payload
        var generator: SeededGenerator
        var heard: [TalkPolicy.Heard] = []
        var busySeconds = 0.0
        var ahead: SoundAhead
        var dueSeconds: Double
        var talkEndSeconds = -Double.infinity
    }

    /// The findings so far.
    package private(set) var findings: RoomFindings
    private let plan: RoomPlan
    private var ears: Ears
    private var devices: [Device]
    private var tick = 0
    private static var ticksPerSecond: Double { 100 }

    /// A room before the first device arrives.
    package init(_ plan: RoomPlan, ears: Ears) {
        self.plan = plan
        self.ears = ears
        findings = RoomFindings(deviceCount: plan.devices.count)
        var generator = SeededGenerator(seed: plan.seed)
        devices = zip(plan.devices, plan.tokens).map { device, token in
            var made = Device(
                policy: TalkPolicy(mode: device.mode, timing: ears.timing, limits: plan.limits), token: token,
                generator: SeededGenerator(seed: generator.next()),
                ahead: SoundAhead(tokenSeconds: ears.timing.tokenSeconds), dueSeconds: device.arrivalSeconds)
            _ = made.neighbourhood.own(token)
            return made
        }
    }

    /// The policies of the devices; shape [devices].
    package var policies: [TalkPolicy] { devices.map(\.policy) }

    /// Advances the time.
    /// - Parameter isOver: ends the run earlier.
    package mutating func run(untilSeconds end: Double, isOver: (RoomFindings) -> Bool = { _ in false }) {
        while now < end {
            var begun: [RoomTalk] = []
            for index in devices.indices where isPresent(index, at: now) { step(index, &begun) }
            tick += 1
            for talk in begun {
                findings.talkSeconds[talk.talker] += ears.timing.tokenSeconds
                findings.lastTalkEndSeconds[talk.talker] = talk.beginSeconds + ears.timing.tokenSeconds
            }
            let present = devices.indices.map { isPresent($0, at: now) }
            let hearings = ears.advance(toSeconds: now, begun: begun, isPresent: present)
            for hearing in hearings { take(hearing) }
            expire(present)
            // Without a decoded token no device is found, and between two searches for silent devices none is lost.
            if !hearings.isEmpty || isLookingWhoIsGone, isOver(findings) { return }
        }
    }

    private var isLookingWhoIsGone: Bool { tick.isMultiple(of: 25) }

    private var now: Double { Double(tick) / Self.ticksPerSecond }

    private func isPresent(_ index: Int, at seconds: Double) -> Bool {
        let device = plan.devices[index]
        return device.arrivalSeconds <= seconds && seconds < device.departureSeconds
    }

    private mutating func step(_ index: Int, _ begun: inout [RoomTalk]) {
        let time = now + plan.leadSeconds
        let talkBegin = devices[index].talkEndSeconds - ears.timing.tokenSeconds
        if now < devices[index].talkEndSeconds { devices[index].ahead.takeOwn(beginSeconds: talkBegin) }
        guard time >= devices[index].talkEndSeconds else { return }
        let isBusy = ears.isBusy(index)
        var device = devices[index]
        if now >= device.talkEndSeconds { device.ahead.take(isBusy: isBusy, atSeconds: now) }
        if isBusy { device.busySeconds += 1 / Self.ticksPerSecond }
        if time >= device.dueSeconds || !device.heard.isEmpty {
            let willBeBusy = isBusy && device.ahead.lasts(toSeconds: time)
            let action = device.policy.step(
                nowSeconds: time, heard: device.heard,
                band: TalkPolicy.Band(isBusy: willBeBusy, busySeconds: device.busySeconds),
                using: &device.generator)
            device.heard = []
            device.busySeconds = 0
            switch action {
            case .listen(let until): device.dueSeconds = until
            case .talk(let begin):
                device.talkEndSeconds = begin + ears.timing.tokenSeconds
                device.dueSeconds = device.talkEndSeconds
                // A device that leaves cuts off its token, which no device decodes.
                if device.talkEndSeconds <= plan.devices[index].departureSeconds {
                    begun.append(RoomTalk(talker: index, beginSeconds: begin))
                }
            }
        }
        devices[index] = device
    }

    private mutating func take(_ hearing: RoomHearing) {
        guard plan.devices[hearing.listener].mode.contains(.scan) else { return }
        let token = devices[hearing.talker].token
        devices[hearing.listener].heard.append(
            TalkPolicy.Heard(token: token, startSeconds: hearing.beginSeconds))
        let patience =
            devices[hearing.listener].policy.patienceSeconds(ofNext: hearing.beginSeconds, from: token)
        let event = devices[hearing.listener].neighbourhood.see(
            Sighting(
                token: token, age: .seconds(now - hearing.beginSeconds), patience: .seconds(patience)),
            on: .audio, now: .seconds(now))
        if case .found = event { findings.found(hearing.talker, by: hearing.listener, atSeconds: now) }
    }

    private mutating func expire(_ present: [Bool]) {
        guard isLookingWhoIsGone else { return }
        for listener in devices.indices where present[listener] {
            for event in devices[listener].neighbourhood.expire(now: .seconds(now)) {
                guard case .lost(let neighbour) = event,
                    let talker = devices.firstIndex(where: { $0.token == neighbour.token })
                else { continue }
                findings.lost(talker, by: listener, atSeconds: now, isGone: !present[talker])
            }
        }
    }
}
