import Foundation
import FuzzTargets
import TestSupport
import Testing

/// The inputs that `make fuzz` has kept, because each reaches a part that no other reaches, or broke something once.
@Suite struct FuzzTargetsTests {
    @Test(arguments: FuzzTarget.allCases) func keptInputsBreakNothing(_ target: FuzzTarget) throws {
        let folder = URL(fileURLWithPath: Repository.path("Fixtures/Fuzz/\(target.rawValue)"))
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty, "\(target) has no inputs")
        for file in files {
            let start = ContinuousClock.now
            target.run(Array(try Data(contentsOf: file)))
            // A process that waits for its turn is no hang: other tests run beside this one.
            let time = ContinuousClock.now - start
            #expect(time < .seconds(10), "\(target): \(file.lastPathComponent) took \(time)")
        }
    }

    /// What every parser meets first.
    @Test(arguments: FuzzTarget.allCases) func noBytesAndZerosBreakNothing(_ target: FuzzTarget) {
        for count in [0, 1, 2, 64, 4_096] {
            for byte in [0, 1, 0x7B, 0xFF] as [UInt8] { target.run([UInt8](repeating: byte, count: count)) }
        }
    }
}
