#if Postgres
    /// Where a database is: `postgres://user@host:port/database`, with libpq's options after `?`.
    package struct PostgresAddress: Sendable {
        /// The address with its password, if it has one.
        let text: String

        package init(_ text: String) { self.text = text }

        /// The parameter that libpq's reason names as unknown; nil for other reasons, and if it may be a part of a password.
        func unknownParameter(_ reason: String) -> String? {
            guard let parameters = text.split(separator: "?", maxSplits: 1).dropFirst().first,
                !parameters.contains("@"),
                reason.contains("invalid URI query parameter"),
                let name = reason.split(separator: "\"", omittingEmptySubsequences: false).dropFirst().first
            else { return nil }
            return String(name)
        }
    }
#endif
