import Foundation
import Glibc
import Testing

@testable import EarshotNotifications

@Suite struct JournalTests {
    @Test func `standard error counts as the journal only if systemd says that this very stream is`() throws {
        var status = stat()
        try #require(fstat(STDIN_FILENO, &status) == 0)
        let name = "\(status.st_dev):\(status.st_ino)"
        #expect(NotificationOutput.standardErrorIsJournal(name, descriptor: STDIN_FILENO))
        #expect(!NotificationOutput.standardErrorIsJournal("\(name)0", descriptor: STDIN_FILENO))
        #expect(!NotificationOutput.standardErrorIsJournal(nil, descriptor: STDIN_FILENO))
    }
}
