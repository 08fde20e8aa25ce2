#if Postgres
    /// An error of PostgreSQL, or of the connection to it.
    package struct PostgresError: Error, Sendable, CustomStringConvertible {
        /// The SQLSTATE, five characters; empty if the connection failed.
        package let state: String
        /// The first line of the message, without the details, which may quote the input.
        package let message: String

        package init(state: String, message: String) {
            self.state = state
            self.message = message
        }

        package var description: String {
            guard !state.isEmpty else { return message }
            let text = "\(message) (SQLSTATE \(state))"
            return state == "42501"
                ? "\(text). Make this user the database's owner (ALTER DATABASE … OWNER TO …), or let it create tables "
                    + "(GRANT CREATE ON SCHEMA public TO …)"
                : text
        }

        /// Whether the connection can no longer be used.
        ///
        /// Class 08 is a connection's exception, 57P01 to 57P03 a server that stops, has crashed, or starts.
        package var isDisconnection: Bool {
            state.isEmpty || state.hasPrefix("08") || ["57P01", "57P02", "57P03"].contains(state)
        }

        /// Whether the transaction had no effect and may succeed when repeated.
        package var isConflict: Bool { state == "40001" || state == "40P01" }

        /// Whether the statement timed out. Then it had no effect.
        package var isTimeout: Bool { state == "57014" }

        /// Whether a row with the same unique value exists.
        package var isDuplicate: Bool { state == "23505" }
    }
#endif
