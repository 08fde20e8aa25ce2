import NetworkExtension
import Testing

/// Code that compiles in language mode 5 also works there.
@Suite struct Swift5Tests {
    /// `main` can create a subclass that overrides only `init()`.
    @Test func aProviderWithItsOwnInitializerIsMade() {
        let provider = OwnProvider(startedBy: ())
        let starter: NEAppPushProvider = provider
        var answers = 0
        starter.start { error in
            #expect(error == nil)
            answers += 1
        }
        #expect(answers == 1)
    }

    @Test func thePrintedProviderStartsAndStops() {
        let provider = SimplePushProvider()
        var answers: [String] = []
        provider.start { error in answers.append("start \(error == nil)") }
        provider.start()
        provider.stop(with: .noNetworkAvailable) { answers.append("stop") }
        #expect(answers == ["start true", "stop"])
    }
}
