import Dispatch
import Synchronization
import Testing

@testable import EarshotAudio

@Suite struct AnswerWatchTests {
    @Test func aCallThatDoesNotReturnIsReportedWhileItRuns() {
        let reported = DispatchSemaphore(value: 0)
        let errors = Mutex<[DeviceError]>([])
        let answer = AnswerWatch.run(
            "open", "hw:9", seconds: 0.01,
            onSilence: { error in
                errors.withLock { $0.append(error) }
                reported.signal()
            }
        ) {
            reported.wait()
            return 7
        }
        #expect(answer == 7)
        #expect(
            errors.withLock { $0.map(\.description) } == [
                "Cannot open the sound device 'hw:9': no answer within 0.01 s. "
                    + "Its sound server or driver hangs: start it again, or name a device that needs none."
            ])
    }

    /// The alarms of calls that return at about its time: a report comes before `run` returns, or not at all.
    @Test func nothingIsReportedAfterTheCall() throws {
        let isRunning = Atomic(false)
        let lateCount = Atomic(0)
        for turn in 0..<200 {
            let seconds = Double(turn % 20) * 1e-4
            // An alarm of 0 s may come before the call.
            isRunning.store(true, ordering: .releasing)
            do throws(DeviceError) {
                try AnswerWatch.run(
                    "open", "hw:9", seconds: seconds,
                    onSilence: { _ in if !isRunning.load(ordering: .acquiring) { lateCount.add(1, ordering: .relaxed) }
                    }
                ) { () throws(DeviceError) in
                    let end = DispatchTime.now() + 0.001
                    while DispatchTime.now() < end {}
                    throw .unanswered("play to", "hw:8", seconds: 1)
                }
                Issue.record("the error was lost")
            } catch {
                #expect(error.device == "hw:8")
            }
            isRunning.store(false, ordering: .releasing)
        }
        #expect(lateCount.load(ordering: .relaxed) == 0)
    }
}
