/// The items that the operator wants to end. A separate command writes them into the table `ending`; the service that
/// has an item in memory ends it.
struct Endings: Sendable {
    var devices: Set<String> = []
    var publications: Set<String> = []

    var isEmpty: Bool { devices.isEmpty && publications.isEmpty }

    mutating func insert(device: String?, publication: String?) {
        if let device { devices.insert(device) }
        if let publication { publications.insert(publication) }
    }
}

extension Live {
    /// Lets the next sweep end these items. Their requests are refused from now on. Cost: the number of devices.
    mutating func end(_ endings: Endings) {
        guard !endings.isEmpty else { return }
        let past = Moment(milliseconds: 0)
        for (row, device) in devices where endings.devices.contains(device.identifier) {
            devices[row]?.expires = past
            deviceEnds.set(row, at: past)
        }
        for row in endings.publications.compactMap({ offerRows[$0] }) {
            offers[row]?.expires = past
            offerEnds.set(row, at: past)
        }
    }
}

extension Administration {
    /// Waits some seconds for the service to end an item.
    /// - Parameters:
    ///   - order: writes the order; may be called repeatedly.
    ///   - isAlive: whether the item still has a row.
    /// - Returns: false if no service ended it.
    func awaitEnd(order: () async throws -> Void, isAlive: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<5 {
            // A request in progress may have prolonged the item, so the order is repeated.
            try await order()
            for _ in 0..<20 {
                guard try await isAlive() else { return true }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        return try await !isAlive()
    }

    /// The error for an item that does not exist.
    func unknown(_ item: EndedItem) -> AdministrationError {
        AdministrationError(
            description: "There is no \(item.table) '\(item.identifier)'; 'earshotd \(item.table) list' shows them all."
        )
    }
}
