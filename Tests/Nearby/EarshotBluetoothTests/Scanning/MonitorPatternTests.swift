import Testing

@testable import EarshotBluetooth

@Suite struct MonitorPatternTests {
    @Test func patternsAreThoseOfTheAir() {
        let eddystone = MonitorPattern(.serviceData(BluetoothUUID(short: 0xFEAA)))
        #expect(eddystone.type == 0x16 && eddystone.content == [0xAA, 0xFE])
        let tokens = MonitorPattern(.serviceData(TokenAdvertisement.service))
        #expect(tokens.type == 0x21 && tokens.content == TokenAdvertisement.service.bytes.reversed())
        let beacon = MonitorPattern(.manufacturerData(0x004C, prefix: [2, 21]))
        #expect(beacon.type == 0xFF && beacon.content == [0x4C, 0, 2, 21])
    }

    @Test func aPlanHasEachPatternOnceAndTheHighestPower() {
        let (one, two) = (
            AdvertisementPattern.serviceData(BluetoothUUID(short: 1)),
            AdvertisementPattern.manufacturerData(2, prefix: [])
        )
        #expect(ScanPlan([]) == nil)
        let plan = ScanPlan([([one], .low), ([one, two], .continuous)])
        #expect(plan?.patterns == [one, two] && plan?.power == .continuous)
        #expect(ScanPlan([([one], .low)])?.power == .low)
    }

    @Test func aDeviceThatStaysIsHeardTwiceBeforeItIsLost() {
        for power in [ScanPower.continuous, .low] {
            #expect(ScanRounds(power).scanning < ScanRounds.period)
        }
        #expect(2 * ScanRounds.period < ScanRounds.patience)
        #expect(ScanRounds(.continuous).share > 0.95 && ScanRounds(.low).share < 0.5)
    }

    @Test func theRoundsOfAllProgramsRestAtTheSameTimes() {
        for power in [ScanPower.continuous, .low] {
            let rounds = ScanRounds(power)
            // A program may begin at any time.
            for begin in stride(from: 100.0, to: 108, by: 0.01) {
                var now = Duration.seconds(begin)
                for number in 0..<3 {
                    let duration = rounds.duration(beginningAt: now)
                    #expect(duration > .milliseconds(900) || power == .low && duration == .seconds(1.5))
                    #expect(duration < .seconds(5))
                    let end = now + duration
                    // In the common rest, the last 0.1 s of each period, no round scans.
                    let inPeriod = end.inSeconds.truncatingRemainder(dividingBy: 4)
                    #expect(inPeriod < 3.901, "\(power) \(begin) \(number): \(end)")
                    let rest = ScanRounds.rest(endingAt: end)
                    #expect(rest >= .milliseconds(99) && rest <= .seconds(4))
                    now = end + rest
                    #expect(abs(now.inSeconds - (now.inSeconds / 4).rounded() * 4) < 1e-6)
                    if number > 0 { #expect(abs((duration - rounds.scanning).inSeconds) < 1e-6) }
                }
            }
        }
    }
}

extension Duration {
    fileprivate static func * (factor: Int, duration: Duration) -> Duration { duration * factor }
    fileprivate var inSeconds: Double { self / .seconds(1) }
}
