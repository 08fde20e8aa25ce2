import Foundation
import NearbyWire
import Testing

/// The bytes of each frame, which other versions of the agent, apps and providers rely on.
@Suite struct OneKeyFrameTests {
    private static func expect<Frame: OneKeyFrame>(_ frames: [(Frame, String)]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for (frame, text) in frames {
            #expect(String(decoding: try encoder.encode(frame), as: UTF8.self) == text)
            #expect(AgentProtocol.decode(Data(text.utf8), as: Frame.self) == frame, "\(text)")
        }
        #expect(frames.count == Frame.parts.count, "a frame of each kind")
    }

    private static let operation = BackgroundOperation(
        key: "k", service: "http://a", type: "t", namespace: "n", mode: 3)
    private static let operationJSON =
        #"{"id":"\#(operation.id)","key":"k","mode":3,"namespace":"n","service":"http://a","type":"t"}"#

    @Test func framesOfClients() throws {
        try Self.expect([
            (ClientFrame.hello(ClientFrame.Hello(app: "a")), #"{"hello":{"app":"a","version":1}}"#),
            (
                .hold(ClientFrame.Hold(Self.operation, known: ["m"])),
                #"{"hold":{"known":["m"],"operation":\#(Self.operationJSON)}}"#
            ),
            (.release(ClientFrame.Name("o")), #"{"release":{"id":"o"}}"#),
            (.acknowledge(ClientFrame.Acknowledgement("o", sequence: 3)), #"{"acknowledge":{"id":"o","sequence":3}}"#),
            (.situation(ClientFrame.Situation(isForeground: true)), #"{"situation":{"isForeground":true}}"#),
            (.request(ClientFrame.Request(.stop, app: "a")), #"{"request":{"action":"stop","app":"a"}}"#),
            (
                .notify(ClientFrame.Notify(id: "n", title: "t", body: "b", action: "a", sound: "s", badge: 1)),
                #"{"notify":{"action":"a","badge":1,"body":"b","id":"n","sound":"s","title":"t"}}"#
            ),
            (.withdraw(ClientFrame.Name("n")), #"{"withdraw":{"id":"n"}}"#),
            (.pushWatch(PushFrame.Watch(taken: ["e"])), #"{"pushWatch":{"taken":["e"],"version":1}}"#),
            (.pushTaken(PushFrame.Taken(["e"])), #"{"pushTaken":{"ids":["e"]}}"#),
        ])
    }

    @Test func framesOfTheAgent() throws {
        let problem = AgentProblem(problem: "bluetoothOff", medium: "ble", detail: "d")
        let message = AgentMessage(
            id: "m", content: Data("hi".utf8), type: "t", namespace: "", isAuthenticated: true)
        let found = #"{"found":{"content":"aGk=","id":"m","isAuthenticated":true,"namespace":"","type":"t"}}"#
        try Self.expect([
            (AgentFrame.welcome(AgentFrame.Welcome()), #"{"welcome":{"version":1}}"#),
            (.notified(AgentFrame.Notified("n", isShown: true)), #"{"notified":{"id":"n","isShown":true}}"#),
            (.clicked(ClientFrame.Name("n")), #"{"clicked":{"id":"n"}}"#),
            (.held(ClientFrame.Name("o")), #"{"held":{"id":"o"}}"#),
            (.released(ClientFrame.Name("o")), #"{"released":{"id":"o"}}"#),
            (.refusal(AgentFrame.Refusal("No.")), #"{"refusal":{"sentence":"No."}}"#),
            (
                .state(AgentFrame.State(id: "o", status: "active", problems: [problem])),
                #"{"state":{"id":"o","problems":[{"detail":"d","medium":"ble","problem":"bluetoothOff"}],"status":"active"}}"#
            ),
            (
                .events(AgentFrame.Events(id: "o", sequence: 1, events: [.found(message), .lost("l")])),
                #"{"events":{"events":[\#(found),{"lost":"l"}],"id":"o","sequence":1}}"#
            ),
            (
                .overview(
                    AgentOverview(process: 1, uptimeSeconds: 2, cpuSeconds: 0.5, residentByteCount: 3, apps: [])),
                #"{"overview":{"apps":[],"cpuSeconds":0.5,"process":1,"residentByteCount":3,"uptimeSeconds":2}}"#
            ),
            (.pushStates(PushFrame.States(active: ["c"])), #"{"pushStates":{"active":["c"]}}"#),
            (
                .pushEvent(PushFrame.Event(id: "e", configuration: "c", kind: .call, userInfo: Data("{}".utf8))),
                #"{"pushEvent":{"configuration":"c","id":"e","kind":"call","userInfo":"e30="}}"#
            ),
            (
                .pushOverview(
                    PushFrame.Overview(network: nil, networkSource: nil, problems: [], configurations: [], log: [])),
                #"{"pushOverview":{"configurations":[],"log":[],"problems":[]}}"#
            ),
        ])
    }

    @Test func framesToAndFromAProvider() throws {
        try Self.expect([
            (
                ProviderOrder.begin(
                    ProviderOrder.Begin(
                        configuration: "c", app: "a", providerConfiguration: .dictionary([:]), timerSeconds: 60)),
                #"{"begin":{"app":"a","configuration":"c","providerConfiguration":{},"timerSeconds":60,"version":1}}"#
            ),
            (.stop(ProviderOrder.Stop(.userInitiated)), #"{"stop":{"reason":1}}"#),
            (.answer(ProviderOrder.Answer(id: "1", refusal: "No.")), #"{"answer":{"id":"1","refusal":"No."}}"#),
        ])
        try Self.expect([
            (ProviderFrame.started(ProviderFrame.Started()), #"{"started":{}}"#),
            (
                .report(ProviderFrame.Report(id: "1", kind: .talk, userInfo: .dictionary(["a": .integer(1)]))),
                #"{"report":{"id":"1","kind":"talk","userInfo":{"a":1}}}"#
            ),
            (
                .notify(ProviderFrame.Notify(id: "1", identifier: "x", title: "t", body: "b")),
                #"{"notify":{"body":"b","id":"1","identifier":"x","title":"t"}}"#
            ),
            (.stopped, #"{"stopped":{}}"#), (.unmatchEthernet, #"{"unmatchEthernet":{}}"#),
        ])
    }

    @Test(arguments: [
        "{}", "[]", "1", #"{"unknown":{}}"#, #"{"hello":1}"#, #"{"hello":{"version":1},"release":{"id":"o"}}"#,
        #"{"hello":{"version":1},"more":{}}"#,
    ])
    func nothingElseIsAFrame(text: String) {
        #expect(AgentProtocol.decode(Data(text.utf8), as: ClientFrame.self) == nil)
    }
}
