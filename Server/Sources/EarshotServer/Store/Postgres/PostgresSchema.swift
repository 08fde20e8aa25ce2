#if Postgres
    import EarshotPostgres

    /// The tables on PostgreSQL. Released versions do not change; a change adds a version.
    enum PostgresSchema {
        /// The current version of the tables.
        static let version: Int64 = 6
        /// The oldest version that it can upgrade.
        private static let oldest: Int64 = 3

        /// Upgrades the tables to the current version. If several nodes start together, one of them does it.
        /// - Parameter creates: whether to create the tables if there are none.
        /// - Throws: `AdministrationError` if there are none or those of another program, if a later version of the service has changed them, or if they are too old.
        static func migrate(_ connection: PostgresConnection, creates: Bool = true) throws {
            try connection.transaction { connection in
                try connection.execute("SELECT pg_advisory_xact_lock(1, 1)")
                let tables = try connection.execute(
                    "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
                ).map { $0.text(0) }
                guard tables.contains("migration") || (creates && tables.isEmpty) else {
                    throw AdministrationError(
                        description: tables.isEmpty
                            ? "The database has no tables yet; 'earshotd project create' and 'earshotd serve' create them."
                            : "The database has tables of another program. Give earshotd a database of its own.")
                }
                try connection.execute("CREATE TABLE IF NOT EXISTS migration (version integer PRIMARY KEY)")
                let present = try connection.execute("SELECT coalesce(max(version), 0) FROM migration")[0].integer(0)
                guard present <= version else {
                    throw AdministrationError(
                        description: "The database has version \(present), and this earshotd knows version \(version) "
                            + "at most; install the version that the other nodes have.")
                }
                guard present == 0 || present >= oldest else {
                    throw AdministrationError(
                        description: "The database has version \(present), and this earshotd upgrades from version "
                            + "\(oldest) on; start one of version \(oldest) on it first.")
                }
                if present == version { return }
                let scripts =
                    switch present {
                    case 0: [registry, rows, endings, sealing]
                    case 3: [upgrade, rows, copy, endings, sealing]
                    case 4: [endings, sealing]
                    default: [sealing]
                    }
                for script in scripts { try connection.run(script: script) }
                try connection.run(script: "DELETE FROM migration; INSERT INTO migration VALUES (\(version))")
            }
        }

        // Times are milliseconds since 1970 by the database's clock, which all nodes share.
        private static let registry = """
            CREATE FUNCTION moment(fixed bigint) RETURNS bigint LANGUAGE sql AS
                $$ SELECT coalesce(fixed, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) $$;
            CREATE TABLE project (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                name text NOT NULL UNIQUE,
                created_at bigint NOT NULL
            );
            CREATE TABLE api_key (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                project_id bigint NOT NULL REFERENCES project,
                name text NOT NULL,
                role text NOT NULL CHECK (role IN ('device', 'owner')),
                hash bytea NOT NULL UNIQUE,
                created_at bigint NOT NULL,
                revoked_at bigint,
                origins text
            );
            CREATE TABLE probe (id integer PRIMARY KEY, written_at bigint NOT NULL);
            INSERT INTO probe VALUES (1, 0);

            CREATE TABLE namespace (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                project_id bigint NOT NULL REFERENCES project,
                name text COLLATE "C" NOT NULL UNIQUE,
                is_public boolean NOT NULL,
                created_at bigint NOT NULL
            );
            CREATE INDEX namespace_project ON namespace (project_id);
            CREATE TABLE beacon (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                project_id bigint NOT NULL REFERENCES project,
                kind text COLLATE "C" NOT NULL,
                identifier bytea NOT NULL,
                note text NOT NULL,
                created_at bigint NOT NULL,
                UNIQUE (kind, identifier)
            );
            CREATE INDEX beacon_project ON beacon (project_id, kind, identifier);
            CREATE TABLE attachment (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                identifier text NOT NULL UNIQUE,
                beacon_id bigint NOT NULL REFERENCES beacon ON DELETE CASCADE,
                namespace_id bigint REFERENCES namespace,
                type text NOT NULL,
                created_at bigint NOT NULL,
                data bytea NOT NULL
            );
            CREATE INDEX attachment_beacon ON attachment (beacon_id);
            CREATE INDEX attachment_namespace ON attachment (namespace_id) WHERE namespace_id IS NOT NULL;
            """

        // A node is alive as long as it holds the advisory lock (4, id). Each project has one owner, whose memory is
        // authoritative; the tables below are its log. The epoch counts the owners: a batch of another epoch is
        // refused.
        //
        // Rows are read only when a project is loaded, so they have only the indexes that loading needs. The upper bits
        // of a row number are the project, so owners can assign numbers independently.
        private static let rows = """
            CREATE SEQUENCE node_number AS integer;
            CREATE TABLE node (
                id integer PRIMARY KEY,
                address text NOT NULL
            );
            CREATE TABLE cluster (id integer PRIMARY KEY CHECK (id = 1), secret text NOT NULL);
            INSERT INTO cluster VALUES (1, gen_random_uuid()::text || gen_random_uuid()::text);
            CREATE TABLE owner (
                project_id bigint PRIMARY KEY REFERENCES project,
                node_id integer NOT NULL,
                epoch bigint NOT NULL
            );
            CREATE TABLE device (
                id bigint PRIMARY KEY,
                identifier text NOT NULL,
                key_id bigint NOT NULL,
                project_id bigint NOT NULL,
                hash bytea NOT NULL UNIQUE,
                expires_at bigint NOT NULL,
                sequence bigint NOT NULL,
                forgotten bigint NOT NULL
            ) WITH (fillfactor = 70);
            CREATE INDEX device_project ON device (project_id);
            CREATE TABLE publication (
                id bigint PRIMARY KEY,
                identifier text NOT NULL,
                device_id bigint NOT NULL,
                project_id bigint NOT NULL,
                idempotency_key text,
                namespace text NOT NULL,
                type text NOT NULL,
                expires_at bigint NOT NULL,
                ended_at bigint,
                content_count bigint NOT NULL,
                content bytea NOT NULL
            );
            CREATE INDEX publication_project ON publication (project_id);
            CREATE TABLE subscription (
                id bigint PRIMARY KEY,
                identifier text NOT NULL,
                device_id bigint NOT NULL,
                project_id bigint NOT NULL,
                idempotency_key text,
                namespace text NOT NULL,
                type text NOT NULL,
                expires_at bigint NOT NULL
            );
            CREATE INDEX subscription_project ON subscription (project_id);
            CREATE TABLE token (
                id bigint PRIMARY KEY,
                project_id bigint NOT NULL,
                bytes bigint NOT NULL,
                device_id bigint NOT NULL,
                publication_id bigint,
                subscription_id bigint,
                issued_at bigint NOT NULL,
                expires_at bigint NOT NULL
            );
            CREATE INDEX token_project ON token (project_id);
            CREATE TABLE delivery (
                device_id bigint NOT NULL,
                sequence bigint NOT NULL,
                subscription_id bigint NOT NULL,
                publication_id bigint NOT NULL,
                is_found boolean NOT NULL,
                changed_at bigint NOT NULL,
                PRIMARY KEY (device_id, sequence)
            );
            """

        // The items that the operator wants to end, by identifier. Nodes of version 4 do not know the table, and may
        // run beside those of version 5.
        private static let endings = "CREATE TABLE ending (device text, publication text)"

        // The salt of a sealed project, and the key of a sealed publication, wrapped for each of its tokens. Nodes of version 5 do not know
        // them: create no sealed project before all nodes have version 6.
        private static let sealing = """
            ALTER TABLE project ADD COLUMN salt bytea;
            ALTER TABLE token ADD COLUMN wrapped_key bytea;
            """

        // Before version 4, database functions matched messages for every node. Now sightings are in memory.
        private static let upgrade = """
            DO $$
            DECLARE f record;
            BEGIN
                FOR f IN SELECT oid::regprocedure AS name FROM pg_proc
                    WHERE pronamespace = current_schema()::regnamespace AND proname <> 'moment'
                        AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
                LOOP EXECUTE 'DROP FUNCTION ' || f.name || ' CASCADE'; END LOOP;
            END $$;
            DROP TABLE sighting, presence, rate, alive, usage;
            ALTER TABLE device RENAME TO device3;
            ALTER TABLE publication RENAME TO publication3;
            ALTER TABLE subscription RENAME TO subscription3;
            ALTER TABLE token RENAME TO token3;
            ALTER TABLE delivery RENAME TO delivery3;
            DO $$
            DECLARE i record;
            BEGIN
                FOR i IN SELECT indexrelid::regclass AS name FROM pg_index
                    WHERE indrelid IN ('device3'::regclass, 'publication3'::regclass, 'subscription3'::regclass,
                        'token3'::regclass, 'delivery3'::regclass)
                        AND NOT indisunique
                LOOP EXECUTE 'DROP INDEX ' || i.name; END LOOP;
            END $$;
            """

        private static let copy = """
            INSERT INTO device SELECT id, identifier, key_id, project_id, hash, expires_at, sequence, forgotten FROM device3;
            INSERT INTO publication SELECT id, identifier, device_id, project_id, idempotency_key, namespace, type,
                expires_at, ended_at, content_count, content FROM publication3;
            INSERT INTO subscription SELECT id, identifier, device_id, project_id, idempotency_key, namespace, type,
                expires_at FROM subscription3;
            INSERT INTO token SELECT id, project_id, bytes, device_id, publication_id, subscription_id, issued_at,
                expires_at FROM token3;
            INSERT INTO delivery SELECT device_id, sequence, subscription_id, publication_id, is_found, changed_at
                FROM delivery3;
            DROP TABLE device3, publication3, subscription3, token3, delivery3;
            """
    }
#endif
