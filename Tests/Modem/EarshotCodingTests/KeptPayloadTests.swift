import TestSupport
import Testing

@testable import EarshotCoding

/// Async functions keep payloads over an `await`.
///
/// While `Payload` held a `SIMD4<UInt64>`, the optimizer of Swift 6.3.1 made the frame of a function like `Keeper.keep` 16
/// bytes too small. The function wrote over the header of the next allocation of its task, and the runtime over the memory
/// that the header pointed to then.
@Suite(.optimized) struct KeptPayloadTests {
    @Test func keepingPayloadsWritesOverNothing() async {
        // The fault ends the process by a signal.
        await #expect(processExitsWith: .success) {
            for _ in 0..<100 { try #require(try await Keeper.keep(["a"])) }
        }
    }
}

private enum Keeper {
    struct Failure: Error {
        var (a, b, c, d, e) = (1, 2, 3, 4, 5)
    }

    struct Pair {
        let text: String
        let payload: Payload
    }

    /// The size of `Value` is known only at run time, so the copy of a value is in memory after the frame.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    static func keep<Value>(_ values: [Value]) async throws -> Bool {
        let value = values[0]
        let (one, other) = (make(1), make(2))
        let count = try await count([one, other])
        let isKept = use({ one }, { [one, other] })
        let pair = Pair(text: "\(count)", payload: one)
        return use({ pair.payload }, { [other, one] }) && isKept && use(value)
    }

    @inline(never) private static func count(_ payloads: [Payload]) async throws(Failure) -> Int {
        await Task.yield()
        if payloads.isEmpty { throw Failure() }
        return payloads.count
    }

    @inline(never) private static func make(_ byte: UInt8) -> Payload {
        (try? Payload([byte])) ?? Payload(zeroBytes: 1)
    }

    @inline(never) private static func use(_ payload: () -> Payload, _ payloads: () -> [Payload]) -> Bool {
        payload().count == 1
    }

    @inline(never) private static func use(_ value: some Any) -> Bool { !"\(value)".isEmpty }
}
