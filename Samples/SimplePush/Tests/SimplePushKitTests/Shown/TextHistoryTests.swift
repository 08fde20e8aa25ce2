import Foundation
import SimplePushKit
import Testing

@Suite struct TextHistoryTests {
    private func entry(_ id: String, _ peer: String = "ann", isOutgoing: Bool = false) -> TextHistory.Entry {
        TextHistory.Entry(
            id: id, peer: peer, peerName: "Ann", text: "text \(id)\n", sentAt: 1.5, isOutgoing: isOutgoing)
    }

    @Test func aThreadIsReadInItsOrderAndEachTextOnce() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("history-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/state/texts"
        let history = TextHistory(path: path)
        #expect(history.entries(with: "ann").isEmpty)
        // A provider that is killed before it acknowledges writes a text again.
        for id in ["1", "2", "2"] { try history.append(entry(id)) }
        try history.append(entry("2", isOutgoing: true))
        try history.append(entry("3", "ben"))
        #expect(history.entries(with: "ann").map(\.id) == ["1", "2", "2"])
        #expect(history.entries(with: "ann").map(\.isOutgoing) == [false, false, true])
        #expect(history.entries(with: "ben") == [entry("3", "ben")])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        // A line that a crash has cut is the only one lost.
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(#"{"id":"4","pe"#.utf8))
        try history.append(entry("5"))
        #expect(history.entries(with: "ann").map(\.id).last == "5")
        for number in 0..<300 { try history.append(entry("n\(number)")) }
        #expect(history.entries(with: "ann").map(\.id) == (100..<300).map { "n\($0)" })
    }

    @Test(arguments: [NotificationName.text(id: "a.b", peer: "ann"), .missedCall(id: "1", peer: "b-n_")])
    func aTapNamesWhatItIsOf(name: NotificationName) {
        #expect(NotificationName(identifier: name.identifier) == name)
        #expect(name.identifier.utf8.count <= 128)
    }

    @Test(arguments: ["", "t", "t//1", "x/ann/1", "t/ann/1/2"])
    func anotherIdentifierIsNone(identifier: String) { #expect(NotificationName(identifier: identifier) == nil) }
}
