import DesktopTestSupport
import EarshotDBus
import Synchronization
import TestSupport
import Testing

@testable import EarshotBluetooth

/// Locks belong to an open file, so two gates of one process are to each other as those of two programs.
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
        let scanning = Mutex(0)
        let rounds = Mutex(0)
        let tasks = scans.map { scan in
            Task {
                scan.follow()
                while !Task.isCancelled {
                    await scan.enter()
                    scanning.withLock { $0 += 1 }
                    rounds.withLock { $0 += 1 }
                    await scan.sleep(.seconds(60))
                    scanning.withLock { $0 -= 1 }
                    scan.leave()
                }
            }
        }
        #expect(await poll { scanning.withLock { $0 } == 2 })
        let changes = [RadioGate(folder), RadioGate(folder)]
        // Each alone, and long before the scans would end by themselves.
        let inside = Mutex(0)
        await withTaskGroup(of: Void.self) { group in
            for change in changes {
                group.addTask {
                    for _ in 0..<5 {
                        await change.beginQuiet()
                        #expect(
                            inside.withLock { inside in
                                inside += 1
                                return inside
                            } == 1)
                        #expect(scanning.withLock { $0 } == 0)
                        await Task.yield()
                        inside.withLock { $0 -= 1 }
                        change.endQuiet()
                    }
                }
            }
        }
        #expect(await poll { scanning.withLock { $0 } == 2 })
        #expect(rounds.withLock { $0 } >= 4)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// A program that stands still holds the others up for a time, not for ever.
    @Test func aScanThatStandsStillDoesNotStopAChange() async {
        let still = RadioGate(folder)
        await still.enter()
        let change = RadioGate(folder)
        await change.beginQuiet()
        change.endQuiet()
        still.leave()
    }

    @Test func seatsAreTakenOnceAndEndWithTheirOwner() async throws {
        let told = Mutex(0)
        let first = AirSeats(folder) { told.withLock { $0 += 1 } }
        #expect(first.hold(2, of: []) == [0, 1] && first.others == [])
        var second: AirSeats? = AirSeats(folder) {}
        #expect(second?.hold(1, of: []) == [2] && second?.others == [0, 1])
        #expect(await poll { told.withLock { $0 } > 0 && first.others == [2] })
        // One is on the air.
        #expect(await first.takeAir())
        #expect(await second?.takeAir() == false)
        first.leaveAir()
        #expect(await second?.takeAir() == true)
        let before = told.withLock { $0 }
        second = nil
        #expect(await poll { told.withLock { $0 } > before && first.others == [] })
        #expect(await first.takeAir())
        #expect(first.hold(1, of: [0, 1]) == [0])
    }
}
