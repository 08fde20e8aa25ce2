import Foundation
import NetworkExtension
import Testing

@Suite struct NEAppPushProviderTests {
    private final class OldForm: NEAppPushProvider {
        var count = 0
        override func start(completionHandler: @escaping ((any Error)?) -> Void) {
            count += 1
            completionHandler(CocoaError(.fileNoSuchFile))
        }
    }

    private final class NewForm: NEAppPushProvider {
        var count = 0
        override func start() { count += 1 }
    }

    private final class Both: NEAppPushProvider {
        var steps: [String] = []
        override func start() {
            steps.append("start")
            super.start()
        }
        override func start(completionHandler: @escaping ((any Error)?) -> Void) {
            steps.append("start with handler")
            super.start(completionHandler: completionHandler)
        }
    }

    private func errors(_ provider: NEAppPushProvider) -> [Bool] {
        var errors: [Bool] = []
        provider.start { errors.append($0 != nil) }
        return errors
    }

    @Test func eitherFormOfStartIsEnough() {
        let (old, new) = (OldForm(), NewForm())
        #expect(errors(old) == [true] && old.count == 1)
        old.start()
        #expect(old.count == 2)
        #expect(errors(new) == [false] && new.count == 1)
        new.start()
        #expect(new.count == 2)
    }

    @Test func noFormAndBothFormsEnd() {
        let none = NEAppPushProvider()
        #expect(errors(none) == [false])
        none.start()
        let both = Both()
        #expect(errors(both).count == 1)
        #expect(both.steps == ["start with handler", "start"])
    }

    /// Without an agent, a provider's reports have no effect and cause no crash.
    @Test func outsideItsProgramAProviderTellsNothing() {
        let provider = NEAppPushProvider()
        provider.reportIncomingCall(userInfo: ["url": URL(filePath: "/")])
        provider.reportIncomingCall()
        provider.unmatchEthernet()
        #expect(!provider.showNotification(title: "Ship"))
        #expect(provider.providerConfiguration == nil)
    }

    @Test func theReasonsHaveTheirNumbers() {
        #expect((0...16).map { NEProviderStopReason(rawValue: $0) }.allSatisfy { $0 != nil })
        #expect(NEProviderStopReason.superceded.rawValue == 11 && NEProviderStopReason.appUpdate.rawValue == 16)
    }
}
