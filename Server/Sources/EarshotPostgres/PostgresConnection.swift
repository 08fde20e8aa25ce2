#if Postgres
    import CPostgres
    import Glibc

    /// A connection to PostgreSQL. One thread uses it at a time; each call waits for the answer.
    package final class PostgresConnection {
        private let handle: OpaquePointer
        /// The names of the prepared statements by their text. PostgreSQL takes longer to plan most of them than to run them.
        private var prepared: [String: String] = [:]

        /// Connects and prepares the session.
        /// - Parameters:
        ///   - address: `postgres://user@host/database`, or anything that libpq takes.
        ///   - settings: statements that are run first.
        /// - Throws: `PostgresError`. Its message does not quote the address, of which libpq may take part of a password for the host or the port.
        package init(_ address: PostgresAddress, settings: [String] = []) throws {
            try Self.check(address)
            // A host that is gone is noticed after ten seconds, not after hours.
            let fixed = [
                ("dbname", address.text), ("connect_timeout", "5"), ("tcp_user_timeout", "10000"),
                ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
                ("fallback_application_name", "earshotd"), ("client_encoding", "UTF8"),
            ]
            handle = try Self.withStrings(fixed.map(\.0)) { names in
                try Self.withStrings(fixed.map(\.1)) { values in
                    guard let handle = PQconnectdbParams(names, values, 1) else {
                        throw PostgresError(state: "", message: "no memory for a connection")
                    }
                    return handle
                }
            }
            // From here on, `deinit` frees the handle, even if this throws.
            guard PQstatus(handle) == CONNECTION_OK else {
                throw PostgresError(state: "", message: Self.whyNot(String(cString: PQerrorMessage(handle))))
            }
            // Notices would go to standard error.
            PQsetNoticeProcessor(handle, { _, _ in }, nil)
            for statement in settings { try run(script: statement) }
        }

        deinit { PQfinish(handle) }

        /// The file descriptor of the connection.
        var descriptor: Int32 { PQsocket(handle) }

        /// Whether the server has left the idle connection open. Costs one system call.
        ///
        /// A server that stops sends the reason before it closes the connection, so all input is read.
        var isAlive: Bool {
            var descriptor = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
            while poll(&descriptor, 1, 0) != 0 {
                guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else { return false }
            }
            return true
        }

        /// Runs one statement. `$1` is the first parameter.
        /// - Returns: the rows.
        /// - Throws: `PostgresError`.
        @discardableResult
        package func execute(_ sql: String, _ parameters: [PostgresValue] = []) throws -> [PostgresRow] {
            let name = try prepared[sql] ?? prepare(sql)
            let encoded = parameters.map(\.encoded)
            return try Self.withBuffers(encoded.map(\.bytes)) { values in
                let lengths = encoded.map { Int32($0.bytes?.count ?? 0) }
                let formats = encoded.map { Int32($0.isBinary ? 1 : 0) }
                return try rows(PQexecPrepared(handle, name, Int32(parameters.count), values, lengths, formats, 0))
            }
        }

        /// Runs any number of statements without parameters, all or none.
        /// - Throws: `PostgresError`.
        package func run(script: String) throws { _ = try rows(PQexec(handle, script)) }

        /// Runs `body` in a transaction: all its statements take effect, or none.
        /// - Throws: `PostgresError`, or the error of `body`.
        package func transaction<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
            try run(script: "BEGIN")
            do {
                let value = try body(self)
                try run(script: "COMMIT")
                return value
            } catch {
                // If the connection is lost, the server rolls back.
                try? run(script: "ROLLBACK")
                throw error
            }
        }

        /// Reads the input that has arrived, and returns the payloads of its notifications.
        /// - Throws: `PostgresError` if the connection is lost.
        func notifications() throws -> [String] {
            guard PQconsumeInput(handle) == 1 else {
                throw PostgresError(state: "", message: Self.firstLine(String(cString: PQerrorMessage(handle))))
            }
            var payloads: [String] = []
            while let notification = PQnotifies(handle) {
                payloads.append(String(cString: notification.pointee.extra))
                PQfreemem(notification)
            }
            return payloads
        }

        private func prepare(_ sql: String) throws -> String {
            let name = "s\(prepared.count)"
            _ = try rows(PQprepare(handle, name, sql, 0, nil))
            prepared[sql] = name
            return name
        }

        private func rows(_ result: OpaquePointer?) throws -> [PostgresRow] {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK: return []
            case PGRES_TUPLES_OK:
                let count = PQnfields(result)
                return (0..<PQntuples(result)).map { row in
                    PostgresRow(
                        columns: (0..<count).map { column in
                            guard PQgetisnull(result, row, column) == 0,
                                let value = PQgetvalue(result, row, column)
                            else { return nil }
                            let bytes = UnsafeRawBufferPointer(
                                start: value, count: Int(PQgetlength(result, row, column)))
                            return Array(bytes)
                        })
                }
            default:
                let state = PQresultErrorField(result, 67 /* PG_DIAG_SQLSTATE, 'C' */).map { String(cString: $0) }
                let message =
                    PQresultErrorField(result, 77 /* PG_DIAG_MESSAGE_PRIMARY, 'M' */).map { String(cString: $0) }
                    ?? String(cString: PQerrorMessage(handle))
                // Without a state, the connection was lost, and the statement may or may not have taken effect.
                throw PostgresError(state: state ?? "", message: Self.firstLine(message))
            }
        }

        /// libpq's own errors about an address quote it, with its password.
        private static func check(_ address: PostgresAddress) throws {
            var reason: UnsafeMutablePointer<CChar>?
            defer { PQfreemem(reason) }
            guard let options = PQconninfoParse(address.text, &reason) else {
                if let name = address.unknownParameter(reason.map { String(cString: $0) } ?? "") {
                    throw PostgresError(
                        state: "",
                        message:
                            "An address of PostgreSQL has no parameter '\(name)'. After ? it has those of libpq, such as sslmode=require."
                    )
                }
                throw PostgresError(
                    state: "",
                    message:
                        "This is no address of PostgreSQL. It has the form postgres://USER@HOST/NAME; in a password write %25 for %, "
                        + "%2F for / and %40 for @, or give the password in PGPASSWORD.")
            }
            defer { PQconninfoFree(options) }
            // Part of a password that has @ or / ends up in one of these.
            let isWrong: [String: (String) -> Bool] = [
                "host": { $0.contains("@") }, "port": { $0.contains { !$0.isNumber && $0 != "," } },
            ]
            var option = options
            while let keyword = option.pointee.keyword.map({ String(cString: $0) }) {
                if let value = option.pointee.val, isWrong[keyword]?(String(cString: value)) == true {
                    throw PostgresError(
                        state: "",
                        message:
                            "The \(keyword) of this address cannot be right. In a password write %2F for / and %40 for @, or give the password "
                            + "in PGPASSWORD.")
                }
                option += 1
            }
        }

        /// All lines of libpq's reason, because a later one may have the remedy.
        private static func whyNot(_ message: String) -> String {
            let lines = message.split(separator: "\n").joined(separator: " ")
            return lines.contains("no password supplied") ? lines + ". Set PGPASSWORD, or PGPASSFILE." : lines
        }

        private static func firstLine(_ message: String) -> String {
            message.split(separator: "\n").first.map(String.init) ?? "the connection failed"
        }

        private static func withStrings<Value>(
            _ strings: [String], _ body: ([UnsafePointer<CChar>?]) throws -> Value
        ) throws -> Value {
            try withBuffers(strings.map { Array($0.utf8) }) { try body($0 + [nil]) }
        }

        /// Calls `body` with pointers to copies of the buffers, each followed by a zero.
        private static func withBuffers<Value>(
            _ buffers: [[UInt8]?], _ body: ([UnsafePointer<CChar>?]) throws -> Value
        ) throws -> Value {
            let copies = buffers.map { buffer -> UnsafeMutablePointer<CChar>? in
                guard let buffer else { return nil }
                let copy = UnsafeMutablePointer<CChar>.allocate(capacity: buffer.count + 1)
                for (index, byte) in buffer.enumerated() { copy[index] = CChar(bitPattern: byte) }
                copy[buffer.count] = 0
                return copy
            }
            defer { for copy in copies { copy?.deallocate() } }
            return try body(copies.map { $0.map { UnsafePointer($0) } })
        }
    }
#endif
