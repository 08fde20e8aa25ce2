import EarshotDiscovery
import MessagesTestSupport
import NearbyWire
import Testing

@testable import EarshotMessages

struct BeaconBookTests {
    private func sighting(
        _ number: Int, age: Duration = .zero, patience: Duration = .seconds(10)
    ) -> BeaconSighting {
        BeaconSighting(beacon: .numbered(number), age: age, patience: patience)
    }

    @Test func nearUntilItsPatienceEnds() {
        var book = BeaconBook()
        let (isNew, isNewAgain) = (book.see(sighting(1), now: .seconds(1)), book.see(sighting(1), now: .seconds(5)))
        #expect(isNew && !isNewAgain)
        #expect(book.nextEnd == .seconds(15))
        // An older report does not shorten the patience.
        _ = book.see(sighting(1, age: .seconds(9)), now: .seconds(6))
        var isChanged = book.expire(now: .milliseconds(14_999))
        #expect(!isChanged && book.near == [.numbered(1)])
        isChanged = book.expire(now: .seconds(15))
        #expect(isChanged && book.near.isEmpty && book.nextEnd == nil)
        let isBack = book.see(sighting(1), now: .seconds(16))
        #expect(isBack)
    }

    @Test func theLatestSightingSaysHowLongItMayBeSilent() {
        var book = BeaconBook()
        _ = book.see(sighting(1, patience: .seconds(60)), now: .seconds(1))
        _ = book.see(sighting(1, patience: .seconds(2)), now: .seconds(5))
        #expect(book.nextEnd == .seconds(7))
        // The patience of an earlier sighting does not count.
        _ = book.see(sighting(1, age: .seconds(1), patience: .seconds(60)), now: .milliseconds(5_500))
        #expect(book.nextEnd == .seconds(7))
    }

    @Test func nonsenseIsIgnored() {
        var book = BeaconBook()
        let old = book.see(sighting(1, age: .seconds(10)), now: .seconds(20))
        let incomplete = book.see(
            BeaconSighting(beacon: .eddystone(namespace: [], instance: []), patience: .seconds(9)), now: .zero)
        #expect(!old && !incomplete && book.near.isEmpty)
        // A clock that runs backwards does not keep a beacon for ever.
        _ = book.see(sighting(2, age: .seconds(-100)), now: .zero)
        #expect(book.nextEnd == .seconds(10))
    }

    @Test func aCrowdOfBeaconsDoesNotFillTheMemory() {
        var book = BeaconBook()
        for number in 0..<2 * BeaconBook.maximumCount { _ = book.see(sighting(number), now: .zero) }
        #expect(book.near.count == BeaconBook.maximumCount)
        // Beacons that are near stay.
        _ = book.see(sighting(0), now: .seconds(5))
        _ = book.expire(now: .seconds(10))
        #expect(book.near == [.numbered(0)])
    }
}
