#if Postgres
    /// An error of PostgreSQL, or of the connection to it.
    package struct PostgresError: Error, Sendable, CustomStringConvertible {
        /// What PostgreSQL calls SQLSTATE, five characters; empty if the connection failed.
        package let state: String
        /// The first line of the message, without the details, which may quote the input.
        package let message: String

        package init(state: String, message: String) {
            self.state = state
            self.message = message
        }

        package var description: String { state.isEmpty ? message : "\(message) (SQLSTATE \(state))" }

        /// Whether the connection is of no more use.
        ///
        /// Class 08 is a connection's exception, 57P01 to 57P03 a server that stops, has crashed, or starts.
        package var isDisconnection: Bool {
            state.isEmpty || state.hasPrefix("08") || ["57P01", "57P02", "57P03"].contains(state)
        }

        /// Whether the transaction took no effect, and may succeed if it begins anew.
        package var isConflict: Bool { state == "40001" || state == "40P01" }

        /// Whether the statement ended because it took too long. Then it took no effect.
        package var isTimeout: Bool { state == "57014" }

        /// Whether a row with the same unique value exists.
        package var isDuplicate: Bool { state == "23505" }
    }
#endif
