import Foundation
import NearbyWire
import Testing

@Suite struct PropertyListTests {
    @Test func everyTypeSurvivesJSON() throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000.25)
        let values: [String: Any] = [
            "text": "Größe \u{0}", "empty": "", "number": 7, "negative": Int.min, "small": UInt8(3), "real": 1.5,
            "whole": 2.0, "truth": true, "data": Data([0, 255]), "date": date, "array": [1, "a", [true]] as [Any],
            "dictionary": ["a": ["b": Data()]], "$data": "not data", "tagged": ["$data": "not data"],
            "nested": ["$dictionary": ["$real": 1]],
        ]
        let list = try [String: PropertyList](values, keyPath: "x")
        let decoded = try JSONDecoder().decode(
            PropertyList.self, from: JSONEncoder().encode(PropertyList.dictionary(list)))
        #expect(decoded == .dictionary(list))
        let back = try #require(decoded.value as? [String: Any])
        #expect(back["whole"] as? Double == 2 && back["number"] as? Int == 7 && back["truth"] as? Bool == true)
        #expect(back["date"] as? Date == date && back["data"] as? Data == Data([0, 255]))
        #expect((back["tagged"] as? [String: Any])?["$data"] as? String == "not data")
    }

    @Test func foundationsValuesAreTheSame() throws {
        let values = [
            "number": NSNumber(value: 7), "real": NSNumber(value: 1.5), "truth": NSNumber(value: true),
        ]
        let list = try [String: PropertyList](values, keyPath: "")
        #expect(list == ["number": .integer(7), "real": .real(1.5), "truth": .boolean(true)])
    }

    @Test func aWrongValueIsNamedByItsKeyPath() {
        let wrong: [(Any, String)] = [
            (["a": URL(filePath: "/")], "p.a"),
            (["servers": ["x", ["port": Int??.some(nil) as Any]] as [Any]], "p.servers[1].port"),
            (["a": Double.nan], "p.a"), ([1: "x"], "p"), (["a": { () in }], "p.a"), (["a": UInt64.max], "p.a"),
            (["a": ["b": [Optional<String>.none as Any]]], "p.a.b[0]"),
        ]
        for (value, path) in wrong {
            #expect("\(path)") {
                _ = try PropertyList(value, keyPath: "p")
            } throws: { ($0 as? PropertyList.Invalid)?.keyPath == path }
        }
    }

    @Test func depthIsBounded() throws {
        var value: Any = "x"
        for _ in 0..<PropertyList.maximumDepth { value = [value] }
        _ = try PropertyList(value)
        #expect(throws: PropertyList.Invalid.self) { try PropertyList([value]) }
        for depth in [PropertyList.maximumDepth + 1, 300, 5_000] {
            let json = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            #expect(throws: (any Error).self, "depth \(depth)") {
                try JSONDecoder().decode(PropertyList.self, from: Data(json.utf8))
            }
        }
    }
}
