import DesktopTestSupport
import EarshotMessages
import MessagesTestSupport
import TestSupport
import Testing

/// The question on a real notification service.
@Suite(.apart, .serialized, .enabled(if: Desktop.missing == nil, "\(Desktop.missing ?? "")"))
struct DunstPromptTests {
    @Test(arguments: [("Allow", PermissionState.granted), ("Deny", .denied)])
    func `dunst shows the question, and its menu answers`(title: String, state: PermissionState) async throws {
        let desktop = try await Desktop()
        let under = try PromptUnderTest(desktop.session.bus)
        async let answer = under.consent.request(under.purpose, override: nil)
        #expect(await eventually { (try? desktop.displayedCount()) == 1 })
        try desktop.choose(title)
        #expect(await answer == state)
        #expect(await eventually { (try? desktop.displayedCount()) == 0 })
        #expect(try desktop.history().contains("wants to find devices nearby"))
        #expect(under.lines.all == [])
    }

    @Test func `a question that is dismissed in dunst stays open`() async throws {
        let desktop = try await Desktop()
        let under = try PromptUnderTest(desktop.session.bus)
        async let answer = under.consent.request(under.purpose, override: nil)
        #expect(await eventually { (try? desktop.displayedCount()) == 1 })
        try desktop.control("close-all")
        #expect(await answer == .undecided)
        #expect(under.consent.store.state == .undecided)
    }
}
