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
            let rounds = ScanRounds(power)
            #expect(2 * (rounds.scanning + rounds.resting) < ScanRounds.patience)
        }
        #expect(ScanRounds(.continuous).share == 1 && ScanRounds(.low).share < 0.5)
    }
}

extension Duration {
    fileprivate static func * (factor: Int, duration: Duration) -> Duration { duration * factor }
}
