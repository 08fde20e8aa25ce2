import EarshotCoding
import EarshotDiscovery
import Foundation
import NearbyWire

extension SightingsBody {
    init(_ report: SightingReport) {
        self.init(
            heard: report.heard.map { HeardBody($0, age: report.ages[$0]) }, lost: report.lost.map(\.hex))
    }
}

extension HeardBody {
    /// - Parameter token: the token in the form for the service.
    init(_ token: Payload, age: Duration?) {
        // Milliseconds are enough, and short when printed.
        self.init(
            token: token.hex, ageSeconds: age.map { (max($0, .zero) / .milliseconds(1)).rounded() / 1_000 })
    }
}

extension Payload {
    /// A token from the 16 digits that the service sends; nil for an invalid text.
    init?(serviceToken text: String) {
        guard text.utf8.count == 2 * Payload.tokenCount, let token = try? Payload(hex: text),
            token.count == Payload.tokenCount
        else { return nil }
        self = token
    }
}

extension String {
    /// Whether the text can be a part of a path or header without changing it. The service is not trusted.
    func isPlain(upTo count: Int) -> Bool {
        !isEmpty && utf8.count <= count && utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// Whether the text consists of letters, digits, `-` and `_`.
    func isIdentifier(upTo count: Int) -> Bool {
        isPlain(upTo: count)
            && unicodeScalars.allSatisfy { CharacterSet.alphanumerics.contains($0) || $0 == "-" || $0 == "_" }
    }
}
