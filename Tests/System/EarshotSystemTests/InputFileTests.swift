import EarshotSystem
import Foundation
import TestSupport
import Testing

@Suite struct InputFileTests {
    @Test func theContentUpToTheMaximum() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "earshot-input-\(UUID())").path
        try Data([1, 2, 3, 4]).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try InputFile.read(FilePath(path), maximumByteCount: 4) == [1, 2, 3, 4])
        #expect(throws: InputFile.Problem.tooLarge) { try InputFile.read(FilePath(path), maximumByteCount: 3) }
    }

    @Test func theReasonOfTheSystem() {
        #expect(throws: InputFile.Problem.system(ENOENT)) {
            try InputFile.read("/nowhere/at/all", maximumByteCount: 1)
        }
        #expect(throws: InputFile.Problem.system(EISDIR)) { try InputFile.read("/", maximumByteCount: 1) }
    }
}
