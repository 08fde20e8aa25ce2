import Testing

@testable import manual_pages

@Suite struct RoffTests {
    @Test func signsOfTheLanguageStandForThemselves() {
        #expect(Roff.text(#"a \ b"#) == #"a \e b"#)
        #expect(Roff.text("'yes': it's") == #"\(aqyes\(aq: it\(aqs"#)
        #expect(Roff.text(".asoundrc") == #"\&.asoundrc"#)
        #expect(Roff.text("~/.asoundrc") == #"\(ti/.asoundrc"#)
        #expect(Roff.argument("a \"b\"") == #""a \(dqb\(dq""#)
    }

    @Test func aMinusIsToldFromAHyphen() {
        #expect(Roff.text("near-ultrasound, --seconds, -12 dB") == #"near-ultrasound, \-\-seconds, \-12 dB"#)
        #expect(Roff.literal("room-a") == #"room\-a"#)
    }

    @Test func charactersBeyondASCIIAreKept() {
        #expect(Roff.text("1–32, …") == #"1\[u2013]32, \[u2026]"#)
        #expect(Roff.text("🔊") == #"\[u1F50A]"#)
    }
}
