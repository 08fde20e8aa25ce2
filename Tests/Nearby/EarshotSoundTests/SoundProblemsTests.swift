import EarshotAudio
import EarshotBasics
import EarshotDiscovery
import EarshotSound
import Synchronization
import Testing

@testable import EarshotSound

@Suite struct SoundProblemsTests {
    private func error(_ kind: DeviceError.Kind) -> DeviceError {
        DeviceError(kind, operation: "open", device: "hw:9", detail: "it is not there", advice: "Plug it in")
    }

    @Test func `a problem is reported when it begins, changes and ends`() {
        let told = Mutex<[MediumEvent]>([])
        let problems = SoundProblems { event in told.withLock { $0.append(event) } }
        problems.capture(nil)
        problems.capture(error(.notFound))
        problems.capture(error(.notFound))
        problems.playback(error(.busy))
        problems.capture(error(.notPermitted))
        problems.band(isOccupied: true)
        problems.band(isOccupied: true)
        problems.capture(nil)
        problems.band(isOccupied: false)
        problems.playback(nil)
        let detail = "Cannot open the sound device 'hw:9': it is not there. Plug it in."
        #expect(
            told.withLock { $0 } == [
                .opened(.scan), .problem(.noMicrophone, detail: detail),
                .problem(.deviceBusy(.broadcast), detail: detail), .solved(.noMicrophone),
                .problem(.noPermission(.scan), detail: detail), .problem(.bandOccupied),
                .solved(.noPermission(.scan)), .opened(.scan), .solved(.bandOccupied),
                .solved(.deviceBusy(.broadcast)), .opened(.broadcast),
            ])
    }

    @Test(arguments: DeviceError.Kind.allCases)
    func `every error of a device is a problem`(kind: DeviceError.Kind) {
        let both = [DiscoveryMode.scan, .broadcast].map { DiscoveryProblem(kind, $0) }
        #expect(both[0] != both[1])
        #expect(!both.contains(.bandOccupied))
    }

    @Test func `attempts become rarer, up to two seconds`() {
        var backOff = BackOff(SoundProblems.reopening)
        let waits = (0..<6).map { _ in backOff.pause().seconds }
        #expect(waits == [0.2, 0.4, 0.8, 1.6, 2, 2])
    }
}
