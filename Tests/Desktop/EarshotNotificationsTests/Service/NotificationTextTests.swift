import Testing

@testable import EarshotNotifications

/// Texts come from strangers.
@Suite struct NotificationTextTests {
    private func cleaned(_ text: String, _ count: Int = 100, keepsLines: Bool = false) -> String {
        NotificationText.cleaned(text, maximumScalarCount: count, keepsLines: keepsLines)
    }

    @Test func `characters that act are removed, scripts and emoji stay`() {
        #expect(cleaned("a\u{1B}[2Jb\u{0}c\u{7}") == "a[2Jbc")
        #expect(cleaned("\u{202E}abc\u{2066}d\u{200B}") == "abcd")
        #expect(cleaned("\u{E000}\u{FFFF}a") == "a")
        #expect(cleaned("می\u{200C}خواهم 👩\u{200D}👩 ❤️ é") == "می\u{200C}خواهم 👩\u{200D}👩 ❤️ é")
    }

    @Test func `ends of lines stay in bodies and are spaces elsewhere`() {
        #expect(cleaned("a\r\nb\rc\nd\u{2028}e\tf", keepsLines: true) == "a\nb\nc\nd\ne f")
        #expect(cleaned("a\r\nb\n") == "a b ")
    }

    @Test func `a long text is cut with an ellipsis`() {
        #expect(cleaned("12345", 5) == "12345")
        #expect(cleaned("123456", 5) == "1234…")
        // One character of a million scalars counts as a million.
        let stacked = "a" + String(repeating: "\u{301}", count: 1_000_000)
        #expect(cleaned(stacked).unicodeScalars.count == 100)
    }

    @Test func `markup is escaped`() {
        #expect(NotificationText.escaped("<b>&amp;</b>") == "&lt;b&gt;&amp;amp;&lt;/b&gt;")
    }
}
