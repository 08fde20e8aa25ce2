import GRDB

/// Statements compiled once per connection. SQLite takes longer to compile most of them than to run them.
extension Database {
    func run(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }

    func rows(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> [Row] {
        try Row.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }

    func row(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Row? {
        try Row.fetchOne(cachedStatement(sql: sql), arguments: arguments)
    }

    /// The first column of the first row; 0 without rows.
    func count(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Int {
        try Int.fetchOne(cachedStatement(sql: sql), arguments: arguments) ?? 0
    }

    /// The first column of every row.
    func integers(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> [Int64] {
        try Int64.fetchAll(cachedStatement(sql: sql), arguments: arguments)
    }
}
