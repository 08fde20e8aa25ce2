import EarshotBluetooth
import Testing

struct BeaconDistanceTests {
    @Test(arguments: [(-59.0, 1.0), (-86, 10), (-32, 0.1)]) func theEstimateFollowsTheFormula(
        rssi: Double, metres: Double
    ) {
        let distance = BeaconDistance(rssiDecibelMilliwatts: rssi, strengthAtOneMetreDecibelMilliwatts: -59)
        // n = 2.7: 27 dB for each factor of ten.
        #expect(abs(distance.metres / metres - 1) < 1e-9)
    }

    @Test func theIntervalOfTheDocumentation() {
        let distance = BeaconDistance(rssiDecibelMilliwatts: -75, strengthAtOneMetreDecibelMilliwatts: -59)
        #expect((3.85...3.95).contains(distance.metres))
        #expect((1.40...1.42).contains(distance.interval.lowerBound))
        #expect((19.9...20.0).contains(distance.interval.upperBound))
    }

    @Test func theIntervalHoldsTheEstimateAndGrowsWithTheLoss() {
        var width = 0.0
        for rssi in stride(from: -20.0, through: -127, by: -1) {
            let distance = BeaconDistance(rssiDecibelMilliwatts: rssi, strengthAtOneMetreDecibelMilliwatts: -59)
            #expect(distance.interval.contains(distance.metres))
            let now = distance.interval.upperBound - distance.interval.lowerBound
            #expect(now > width)
            width = now
        }
    }
}
