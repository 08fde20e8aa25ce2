import EarshotPush
import Foundation
import NearbyWire
import Testing

@Suite struct PushConfigurationTests {
    static func configuration(_ ssids: [[UInt8]] = [Array("Ship".utf8)], app: String = "app") -> PushConfiguration {
        var configuration = PushConfiguration(app: app)
        configuration.ssids = ssids
        configuration.provider = "org.example.Provider"
        configuration.isEnabled = true
        return configuration
    }

    @Test func theLimitsHold() {
        #expect(Self.configuration().flaw == nil)
        let ten = (0..<10).map { Array("Ship \($0)".utf8) }
        #expect(Self.configuration(ten).flaw == nil)
        #expect(Self.configuration(ten + [[1]]).flaw?.contains("11 Wi-Fi networks; the maximum is 10") == true)
        #expect(Self.configuration([[UInt8](repeating: 65, count: 32)]).flaw == nil)
        #expect(Self.configuration([[UInt8](repeating: 65, count: 33)]).flaw?.contains("33 bytes") == true)
        #expect(Self.configuration([[1], []]).flaw?.contains("Wi-Fi network 2 has 0 bytes") == true)
        #expect(Self.configuration([[0xFF, 0xFE, 0x00]]).flaw == nil, "names need not be UTF-8")
    }

    @Test func whatIsEnabledNamesANetworkAndAProvider() {
        var configuration = Self.configuration([])
        #expect(configuration.flaw?.contains("names no network") == true)
        configuration.matchesEthernet = true
        #expect(configuration.flaw == nil)
        configuration.provider = nil
        #expect(configuration.flaw?.contains("providerBundleIdentifier") == true)
        configuration.isEnabled = false
        #expect(configuration.flaw == nil)
    }

    @Test(arguments: ["", "../x", ".hidden", "a/b", "a b", "ä", String(repeating: "a", count: 129)])
    func aProviderIsAFileName(name: String) {
        var configuration = Self.configuration()
        configuration.provider = name
        #expect(configuration.flaw?.contains("provider's identifier") == true)
    }

    @Test func mobileNetworksHaveCodes() {
        var configuration = Self.configuration()
        let good = [("310", "410", nil), ("001", "01", "1A2b"), ("262", "001", "0")]
        configuration.mobileNetworks = good.map {
            PushMobileNetwork(countryCode: $0.0, networkCode: $0.1, trackingAreaCode: $0.2)
        }
        #expect(configuration.flaw == nil)
        for (country, network, area) in [
            ("31", "410", nil), ("310", "4", nil), ("310", "410", ""), ("31x", "410", "1"),
        ] {
            configuration.mobileNetworks = [
                PushMobileNetwork(countryCode: country, networkCode: network, trackingAreaCode: area)
            ]
            #expect(configuration.flaw?.contains("country code") == true)
        }
    }

    @Test func aMobileNetworkMatchesItsAreaInAnySpelling() {
        func network(_ area: String?) -> PushMobileNetwork {
            PushMobileNetwork(countryCode: "310", networkCode: "410", trackingAreaCode: area)
        }
        #expect(network("001a").matches(network("1A")))
        #expect(network(nil).matches(network("1A")))
        #expect(!network("1A").matches(network(nil)) && !network("1A").matches(network("1B")))
        #expect(network(nil).overlaps(network("1A")) && !network("1A").overlaps(network("1B")))
    }

    /// At most one provider runs at any time, for all apps: there is one primary network, and overlapping configurations are not
    /// enabled together.
    @Test func twoMobileNetworksThatMatchOnePlaceOverlap() {
        let areas: [String?] = [nil, "1", "01", "1A", "001a", "2B"]
        let all = areas.flatMap { area in
            [("310", "410"), ("310", "41"), ("262", "410")].map {
                PushMobileNetwork(countryCode: $0.0, networkCode: $0.1, trackingAreaCode: area)
            }
        }
        for (one, other) in all.flatMap({ one in all.map { (one, $0) } }) where !one.overlaps(other) {
            #expect(!all.contains { one.matches($0) && other.matches($0) }, "\(one) \(other)")
        }
    }

    @Test func jsonKeepsEverything() throws {
        var configuration = Self.configuration([Array("Größe".utf8), [0xFF, 0x00]])
        configuration.matchesEthernet = true
        configuration.mobileNetworks = [
            PushMobileNetwork(countryCode: "310", networkCode: "410", trackingAreaCode: "1")
        ]
        configuration.providerConfiguration = ["host": .string("ship"), "data": .data(Data([1]))]
        configuration.localizedDescription = "Ship"
        let bytes = try JSONEncoder().encode(configuration)
        #expect(PushConfigurationStore.configuration(bytes) == configuration)
    }

    /// Data of another program must not crash the agent, and must not be accepted with a flaw.
    @Test func seededGarbageIsRefused() throws {
        let bytes = try JSONEncoder().encode(Self.configuration([[1], Array("Ship".utf8)]))
        var state: UInt64 = 19
        func next(_ count: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(count))
        }
        let tokens = ["[", "]", "{", "}", "\"", "null", "1e999", "-1", "\\u0000", ":", ",", "true", "$data", "é"].map {
            Array($0.utf8)
        }
        var validCount = 0
        for _ in 0..<20_000 {
            var mutant = Array(bytes)
            for _ in 0...next(4) {
                switch next(4) {
                case 0: mutant[next(mutant.count)] = UInt8(next(256))
                case 1: mutant.removeSubrange(next(mutant.count)...)
                case 2: mutant.insert(contentsOf: tokens[next(tokens.count)], at: next(mutant.count))
                default: mutant.remove(at: next(mutant.count))
                }
                if mutant.isEmpty { mutant = [0x7B] }
            }
            guard let configuration = PushConfigurationStore.configuration(Data(mutant)) else { continue }
            validCount += 1
            #expect(configuration.flaw == nil)
        }
        #expect(validCount > 0 && validCount < 20_000)
    }
}
