import Foundation
import TestSupport

/// The tests that documents may name: suites, tests and modules of this package, of the service and of the samples, checks of the virtual
/// machine, and targets of the Makefile.
struct NamedTests {
    private var sources: [String: String] = [:]

    init() throws {
        for folder in ["Tests", "Server/Tests", "Samples/SimplePush/Tests", "Packaging"] {
            let root = Repository.path(folder)
            for case let name as String in FileManager.default.enumerator(atPath: root) ?? .init()
            where [".swift", ".sh", ".mk", ".py"].contains(where: name.hasSuffix) {
                sources["\(root)/\(name)"] = try String(contentsOfFile: "\(root)/\(name)", encoding: .utf8)
            }
        }
    }

    func contains(_ name: String) -> Bool {
        if name.hasPrefix("make ") {
            return sources.contains { $0.key.hasSuffix(".mk") && $0.value.contains("\n\(name.dropFirst(5)):") }
        }
        return sources.contains { path, text in
            path.contains("/\(name)/") || text.contains("struct \(name) ") || text.contains("struct \(name):")
                || text.contains("func \(name)(") || path.contains("/Machine/") && text.contains(name)
        }
    }
}
