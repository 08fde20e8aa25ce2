#if Postgres
    /// Where a database is: `postgres://user@host:port/database`, with libpq's options after `?`.
    package struct PostgresAddress: Sendable {
        /// The address with its password, if it has one.
        let text: String

        package init(_ text: String) { self.text = text }
    }
#endif
