import EarshotDiscovery
import Foundation
import MessagesTestSupport
import NearbyWire
import Synchronization
import TestSupport
import Testing

@testable import EarshotMessages

/// The second question: scans that reveal the device's location need an answer of their own.
@Suite(.apart, .timeLimit(.minutes(2))) struct LocationConsentTests {
    private let scratch: ScratchFolder
    private let iBeacons = ConsentPurpose(
        applicationIdentifier: "app", mode: .scan, media: [.bluetooth], findsBeacons: true, needsLocation: true)
    private let eddystone = ConsentPurpose(
        applicationIdentifier: "app", mode: .scan, media: [.bluetooth], findsBeacons: true)

    init() throws {
        scratch = try ScratchFolder()
    }

    private func consent(_ prompt: (any ConsentPrompt)? = nil, warn: Lines = Lines()) -> Consent {
        Consent(
            applicationIdentifier: "app", configurationFolder: scratch.path, prompt: prompt, warn: { warn.add($0) })
    }

    @Test func `the user is asked for devices nearby first, then for the location`() async throws {
        let prompt = AnsweringPrompt([true, true])
        let consent = consent(prompt)
        #expect(await consent.request(iBeacons, override: nil) == .granted)
        #expect(prompt.texts.count == 2)
        #expect(prompt.texts.first?.contains("wants to find Bluetooth beacons nearby") == true)
        #expect(prompt.texts.last?.contains("wants to know where this device is") == true)
        #expect(consent.store.state == .granted && consent.store.location == .granted)
        // The store keeps both answers.
        #expect(await consent.request(iBeacons, override: nil) == .granted)
        #expect(prompt.texts.count == 2)
    }

    @Test func `Eddystone alone in low power asks no second question`() async throws {
        let prompt = AnsweringPrompt([true])
        let consent = consent(prompt)
        #expect(await consent.request(eddystone, override: nil) == .granted)
        #expect(prompt.texts.count == 1 && consent.store.location == .undecided)
    }

    @Test(arguments: [
        (true, true, true), (true, false, true), (false, false, true), (false, true, false),
    ])
    func `iBeacons and continuous scans need the location`(iBeacons: Bool, lowPower: Bool, needs: Bool) {
        #expect(BeaconScan(includesIBeacons: iBeacons, prefersLowPower: lowPower).needsLocation == needs)
    }

    @Test func `a denial of the first question spares the second`() async {
        let prompt = AnsweringPrompt([false])
        let consent = consent(prompt)
        #expect(await consent.request(iBeacons, override: nil) == .denied)
        #expect(prompt.texts.count == 1 && consent.store.location == .undecided)
    }

    @Test func `a denied location is asked again, and denies nothing else`() async {
        let prompt = AnsweringPrompt([true, false, true])
        let consent = consent(prompt)
        #expect(await consent.request(iBeacons, override: nil) == .denied)
        #expect(consent.store.state == .granted && consent.store.location == .denied)
        #expect(await consent.request(eddystone, override: nil) == .granted)
        #expect(await consent.request(iBeacons, override: nil) == .granted)
        #expect(prompt.texts.count == 3)
    }

    @Test func `an operation's handler replaces the first question only`() async {
        let prompt = AnsweringPrompt([true])
        let consent = consent(prompt)
        let calls = Mutex(0)
        let answer = await consent.request(iBeacons) { _ in
            calls.withLock { $0 += 1 }
            #expect(prompt.texts.isEmpty, "the handler comes first")
            return .granted
        }
        #expect(answer == .granted && calls.withLock(\.self) == 1)
        #expect(prompt.texts.count == 1 && prompt.texts.first?.contains("where this device is") == true)
    }

    @Test func `without a prompt the location stays undecided, and standard error says so once`() async {
        let warnings = Lines()
        let consent = consent(warn: warnings)
        for _ in 0..<3 { #expect(await consent.request(iBeacons) { _ in .granted } == .undecided) }
        #expect(warnings.all.count == 1 && warnings.all.first?.contains("\"location\":\"granted\"") == true)
    }

    @Test func `operations that begin together share both questions`() async {
        let prompt = AnsweringPrompt([true, true])
        let consent = consent(prompt)
        let answers = await withTaskGroup(of: PermissionState.self) { group in
            for _ in 0..<10 { group.addTask { await consent.request(iBeacons, override: nil) } }
            for _ in 0..<5 { group.addTask { await consent.request(eddystone, override: nil) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: .granted, count: 15))
        #expect(prompt.texts.count == 2)
    }

    @Test func `changes with the location are granted only if both are`() async throws {
        let consent = consent()
        var changes = consent.changes(needsLocation: true).makeAsyncIterator()
        var nearby = consent.changes(needsLocation: false).makeAsyncIterator()
        #expect(await changes.next() == .undecided)
        #expect(await nearby.next() == .undecided)
        // Another process of the same program writes both.
        let other = PermissionStore(applicationIdentifier: "app", configurationFolder: scratch.path)
        try other.set(.granted)
        #expect(await nearby.next() == .granted)
        try other.setLocation(.granted)
        #expect(await changes.next() == .granted)
        try other.setLocation(.denied)
        #expect(await changes.next() == .denied)
        try other.setLocation(.granted)
        #expect(await changes.next() == .granted)
        try other.set(.denied)
        #expect(await changes.next() == .denied)
        #expect(await nearby.next() == .denied)
    }

    @Test func `the file keeps both decisions, and each write changes one`() throws {
        let store = PermissionStore(applicationIdentifier: "app", configurationFolder: scratch.path)
        try store.setLocation(.denied)
        #expect(store.state == .undecided && store.location == .denied)
        try store.set(.granted)
        #expect(store.state == .granted && store.location == .denied)
        #expect(
            try String(contentsOfFile: store.path, encoding: .utf8)
                == "{\"permission\":\"granted\",\"location\":\"denied\"}\n")
        try store.setLocation(.undecided)
        #expect(try String(contentsOfFile: store.path, encoding: .utf8) == "{\"permission\":\"granted\"}\n")
        try scratch.write(#"{"permission":"granted","location":"maybe"}"#, to: "app/nearby.json")
        #expect(store.state == .undecided && store.location == .undecided)
    }

    @Test func `programs that write different decisions at once lose none`() async throws {
        let folder = scratch.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for topic in PermissionTopic.allCases {
                group.addTask {
                    // Each writer waits for the disk.
                    let wrong = try await onThread {
                        let store = PermissionStore(applicationIdentifier: "app", configurationFolder: folder)
                        var wrong: [Int] = []
                        for number in 0..<100 {
                            let state = number.isMultiple(of: 2) ? PermissionState.denied : .granted
                            try store.set(state, for: topic)
                            if store.decisions[topic] != state { wrong.append(number) }
                        }
                        return wrong
                    }
                    #expect(wrong == [], "\(topic)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `decisions that cannot be written hold together, and are written together later`() throws {
        try scratch.write("a file where the folder should be", to: "app")
        let store = PermissionStore(applicationIdentifier: "app", configurationFolder: scratch.path)
        #expect(throws: PermissionStoreError.self) { try store.set(.granted) }
        #expect(throws: PermissionStoreError.self) { try store.setLocation(.denied) }
        #expect(store.state == .granted && store.location == .denied)
    }
}

/// A prompt that gives these answers in order, and no further one.
private final class AnsweringPrompt: ConsentPrompt {
    private let state: Mutex<(answers: [Bool], texts: [String])>
    let obstacle: String? = nil

    init(_ answers: [Bool]) {
        state = Mutex((answers, []))
    }

    var texts: [String] { state.withLock { $0.texts } }

    func ask(_ question: ConsentQuestion) async -> Bool? {
        state.withLock { state in
            state.texts.append(question.text)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
    }
}
