import DesktopTestSupport
import EarshotDBus
import Synchronization
import TestSupport
import Testing

@testable import EarshotBluetooth

/// A number that several tasks change.
private final class Count: Sendable {
    private let number = Mutex(0)

    var value: Int { number.withLock { $0 } }
    /// - Returns: the new value.
    @discardableResult
    func add(_ change: Int) -> Int {
        number.withLock { number in
            number += change
            return number
        }
    }
}

/// Locks belong to an open file, so two gates in one process behave like those of two programs.
@Suite(.apart) struct RadioGateTests {
    /// A radio of this test alone.
    private let folder = RadioFolder.path(
        .address("unix:path=/test-\(UInt64.random(in: 0 ... .max))"), adapter: "hci0")

    @Test func eachAdapterOfEachBusHasAFolderOfItsOwn() throws {
        let folder = try #require(folder)
        let others = [
            RadioFolder.path(.address("unix:path=/other"), adapter: "hci0"),
            RadioFolder.path(.address("unix:path=/other"), adapter: "hci1"),
        ]
        #expect(Set([folder] + others).count == 3)
    }

    @Test func aChangeEndsTheScansOfAllProgramsAndKeepsThemAway() async throws {
        let scans = [RadioGate(folder), RadioGate(folder)]
        let scanning = Count()
        let rounds = Count()
        let tasks = scans.map { scan in
            Task {
                scan.follow()
                while !Task.isCancelled {
                    await scan.enter()
                    scanning.add(1)
                    rounds.add(1)
                    await scan.sleep(.seconds(60))
                    scanning.add(-1)
                    scan.leave()
                }
            }
        }
        #expect(await poll { scanning.value == 2 })
        let changes = [RadioGate(folder), RadioGate(folder)]
        // Each change is alone, and long before the scans would end on their own.
        let inside = Count()
        await withTaskGroup(of: Void.self) { group in
            for change in changes {
                group.addTask {
                    for _ in 0..<5 {
                        await change.beginQuiet()
                        #expect(inside.add(1) == 1)
                        #expect(scanning.value == 0)
                        await Task.yield()
                        inside.add(-1)
                        change.endQuiet()
                    }
                }
            }
        }
        #expect(await poll { scanning.value == 2 })
        #expect(rounds.value >= 4)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// A hanging program delays the others for a time, not for ever.
    @Test func aScanThatStandsStillDoesNotStopAChange() async {
        let still = RadioGate(folder)
        await still.enter()
        let change = RadioGate(folder)
        await change.beginQuiet()
        change.endQuiet()
        still.leave()
    }

    @Test func seatsAreTakenOnceAndEndWithTheirOwner() async throws {
        let told = Count()
        let first = AirSeats(folder) { told.add(1) }
        #expect(first.hold(2, of: []) == [0, 1] && first.others == [])
        var second: AirSeats? = AirSeats(folder) {}
        #expect(second?.hold(1, of: []) == [2] && second?.others == [0, 1])
        #expect(await poll { told.value > 0 && first.others == [2] })
        // One is on the air.
        #expect(await first.takeAir())
        #expect(await second?.takeAir() == false)
        first.leaveAir()
        #expect(await second?.takeAir() == true)
        let before = told.value
        second = nil
        #expect(await poll { told.value > before && first.others == [] })
        #expect(await first.takeAir())
        #expect(first.hold(1, of: [0, 1]) == [0])
    }
}
