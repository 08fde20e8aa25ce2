import EarshotCoding
import TestSupport
import Testing

/// The order of the data tones, checked against its definition and its purpose.
@Suite(.optimized) struct ToneInterleaverTests {
    /// The data tones of every payload.
    private static let stepCounts = Payload.validCounts.map { FrameLayout(payloadByteCount: $0).dataToneCount }
    /// The code's memory: a tone depends on six pairs.
    private static let memoryStepCount = 6

    /// a of each length, from 1 byte to 32, as docs/PROTOCOL.md, section 5, lists them.
    @Test func stridesAreThoseOfTheProtocol() {
        let strides = [
            7, 7, 11, 11, 13, 13, 17, 17, 19, 19, 23, 23, 25, 25, 29, 29, 31, 31, 35, 35, 37, 39, 41, 41, 43, 45, 47,
            47, 49, 49, 53, 53,
        ]
        #expect(Self.stepCounts.map { ToneInterleaver(stepCount: $0).stride } == strides)
    }

    /// The stride is the number nearest to n·(3 − √5)/2 that has no divisor in common with n.
    @Test func noOtherStrideIsNearerToTheGoldenOne() {
        for stepCount in Self.stepCounts {
            let stride = ToneInterleaver(stepCount: stepCount).stride
            func distance(_ number: Int) -> Double {
                abs(Double(number) - Double(stepCount) * (3 - 5.0.squareRoot()) / 2)
            }
            let others = (1..<stepCount).filter { other in
                (2...stepCount).allSatisfy { other % $0 > 0 || stepCount % $0 > 0 }
            }
            #expect(others.contains(stride), "\(stepCount) tones")
            #expect(others.allSatisfy { distance($0) >= distance(stride) }, "\(stepCount) tones")
        }
    }

    /// Every place is taken once.
    @Test func placesAreAPermutation() {
        for stepCount in Self.stepCounts {
            let interleaver = ToneInterleaver(stepCount: stepCount)
            let places = (0..<stepCount).map { interleaver.place(ofStep: $0) }
            #expect(places.sorted() == Array(0..<stepCount), "\(stepCount) tones")
            #expect(places[0] == 0 && places[1] == interleaver.stride)
        }
    }

    /// If a quarter of the places is lost in a row, six consecutive steps lose at most
    /// three; if half is lost, at most four.
    @Test(arguments: [(share: 0.25, mostLost: 3), (share: 0.5, mostLost: 4)])
    func aHoleSpreadsOverTheCode(share: Double, mostLost: Int) {
        for stepCount in Self.stepCounts {
            let interleaver = ToneInterleaver(stepCount: stepCount)
            let lostCount = Int((share * Double(stepCount)).rounded())
            for first in 0...stepCount - lostCount {
                let isLost = (0..<stepCount).map { step in
                    (first..<first + lostCount).contains(interleaver.place(ofStep: step))
                }
                for step in 0..<stepCount {
                    let lost = (step..<step + Self.memoryStepCount).count { isLost[$0 % stepCount] }
                    #expect(lost <= mostLost, "\(lost) of the steps from \(step) on, \(stepCount) tones")
                }
            }
        }
    }
}
