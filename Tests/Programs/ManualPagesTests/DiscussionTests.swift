import Testing

@testable import manual_pages

@Suite struct DiscussionTests {
    @Test func partsGoWhereAManualHasThem() {
        let discussion = Discussion(
            """
            What it does.

            EXAMPLES:
              earshot encode cafe
              earshot decode x.wav

            A line of JSON:
              {"bytes":2}
            Bytes are counted.

            EXIT CODES:
              0   found
              130 interrupted, which may
                  take a moment

            ENVIRONMENT:
              TMPDIR  where temporary files are
            """)
        #expect(
            discussion.description == [
                .paragraph("What it does."), .paragraph("A line of JSON:"), .lines([#"  {"bytes":2}"#]),
                .paragraph("Bytes are counted."),
            ])
        #expect(discussion.examples == [.lines(["  earshot encode cafe", "  earshot decode x.wav"])])
        #expect(discussion.exitStatus.count == 1)
        #expect(discussion.environment == [.lines(["  TMPDIR  where temporary files are"])])
    }

    @Test func exitCodesInProseAreExitStatus() {
        let discussion = Discussion("Text.\n\nExit codes: 0 a token, 1 none.\n\nThe exit code is 0 in any case.")
        #expect(discussion.description == [.paragraph("Text.")])
        #expect(
            discussion.exitStatus == [.paragraph("0 a token, 1 none."), .paragraph("The exit code is 0 in any case.")])
    }

    @Test func anIndentedBlockAtTheStartIsKept() {
        #expect(Discussion("  a\n  b").description == [.lines(["  a", "  b"])])
    }
}
