import EarshotDiscovery
import Testing

@testable import EarshotBluetooth

@Suite struct SharedProblemsTests {
    @Test func aProblemOfTwoPartsEndsWithTheLast() {
        var problems = SharedProblems()
        #expect(problems.begin(.bluetoothOff, detail: "x", in: .scan) == .problem(.bluetoothOff, detail: "x"))
        #expect(problems.begin(.bluetoothOff, detail: "x", in: .broadcast) == nil)
        #expect(problems.end(.bluetoothOff, in: .scan) == nil)
        #expect(problems.end(.bluetoothOff, in: .broadcast) == .solved(.bluetoothOff))
        #expect(problems.end(.bluetoothOff, in: .broadcast) == nil)
    }

    @Test func oneProblemReplacesAnother() {
        var book = ProblemBook()
        #expect(book.set(nil).isEmpty)
        #expect(book.set(.bluetoothOff, detail: "a") == [.problem(.bluetoothOff, detail: "a")])
        #expect(book.set(.bluetoothOff, detail: "b").isEmpty)
        #expect(
            book.set(.noBluetoothAdapter, detail: "c")
                == [.solved(.bluetoothOff), .problem(.noBluetoothAdapter, detail: "c")])
        #expect(book.set(nil) == [.solved(.noBluetoothAdapter)])
    }
}
