/// A device with a session, for the operator.
package struct DeviceRecord: Sendable, Equatable {
    package let identifier: String
    package let project: String
    package let key: Int64
    package let expires: Moment
    package let publications: Int64
    package let subscriptions: Int64
}

/// A publication, for the operator: without its content.
package struct PublicationRecord: Sendable, Equatable {
    package let identifier: String
    package let project: String
    package let device: String
    package let namespace: String
    package let type: String
    package let contentCount: Int64
    package let expires: Moment
}

/// An item that the operator ends, by its public identifier.
package enum EndedItem: Sendable, Equatable {
    case device(String)
    case publication(String)

    var identifier: String {
        switch self {
        case .device(let identifier), .publication(let identifier): identifier
        }
    }

    /// The column of the table `ending`, and the table of the item.
    var table: String {
        switch self {
        case .device: "device"
        case .publication: "publication"
        }
    }

    /// The condition of the rows that have not ended.
    var condition: String {
        switch self {
        case .device: "TRUE"
        case .publication: "ended_at IS NULL"
        }
    }
}

/// The result of a check of the database.
package struct Inspection: Sendable, Equatable {
    /// The numbers of rows, by table.
    package var counts: [(table: String, count: Int64)] = []
    /// The problems as sentences; empty if there are none.
    package var problems: [String] = []

    package init(problems: [String] = []) { self.problems = problems }

    /// The same counts and problems.
    package static func == (a: Self, b: Self) -> Bool {
        a.problems == b.problems && a.counts.map(\.table) == b.counts.map(\.table)
            && a.counts.map(\.count) == b.counts.map(\.count)
    }
}
