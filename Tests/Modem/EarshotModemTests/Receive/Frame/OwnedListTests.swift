import Testing

@testable import EarshotModem

/// A list of elements that cannot be copied.
@Suite struct OwnedListTests {
    private final class Counter {
        var count = 0
    }

    private struct Element: ~Copyable {
        var number: Int
        let freed: Counter

        deinit { freed.count += 1 }
    }

    /// Elements are made once, in order, change in place, and go with the list, each once.
    @Test func elementsChangeInPlaceAndGoOnce() {
        let freed = Counter()
        do {
            var list = OwnedList(count: 3) { Element(number: 10 * $0, freed: freed) }
            for index in list.indices { list[index].number += 1 }
            let (count, numbers) = (list.count, [list[0].number, list[1].number, list[2].number])
            #expect(count == 3 && numbers == [1, 11, 21])
            #expect(freed.count == 0)
        }
        #expect(freed.count == 3)
    }

    /// A list may be empty.
    @Test func aListMayBeEmpty() {
        let list = OwnedList(count: 0) { $0 }
        let indices = list.indices
        #expect(indices.isEmpty)
    }
}
