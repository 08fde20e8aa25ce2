import Foundation
import FuzzTargets
import TestSupport
import Testing

/// The inputs that `make fuzz` has kept: each reaches code that no other input reaches, or broke something once.
@Suite struct FuzzTargetsTests {
    @Test(arguments: FuzzTarget.allCases) func keptInputsBreakNothing(_ target: FuzzTarget) throws {
        let folder = URL(fileURLWithPath: Repository.path("Fixtures/Fuzz/\(target.rawValue)"))
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty, "\(target) has no inputs")
        for file in files {
            let start = ContinuousClock.now
            target.run(Array(try Data(contentsOf: file)))
            // The limit allows for a process that waits for its turn beside other tests.
            let time = ContinuousClock.now - start
            #expect(time < .seconds(10), "\(target): \(file.lastPathComponent) took \(time)")
        }
    }

    /// The simplest inputs of every parser.
    @Test(arguments: FuzzTarget.allCases) func noBytesAndZerosBreakNothing(_ target: FuzzTarget) {
        for count in [0, 1, 2, 64, 4_096] {
            for byte in [0, 1, 0x7B, 0xFF] as [UInt8] { target.run([UInt8](repeating: byte, count: count)) }
        }
    }
}
