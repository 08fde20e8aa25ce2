#if Postgres
    import EarshotPostgres

    /// The tables and functions on PostgreSQL, version by version. A released version never changes; a change adds another one.
    enum PostgresSchema {
        /// The scripts of the versions, beginning with 1.
        static let versions: [[String]] = [
            [
                tables, matchingFunctions, roomFunctions, publicationFunctions, subscriptionFunctions,
                sightingFunctions, sweepFunctions, rateFunctions,
            ],
            // The origins of a browser key, with spaces in between; null for other keys.
            ["ALTER TABLE api_key ADD COLUMN origins text"], [reports],
        ]

        /// Brings the tables to the current version. Of several nodes that start at once, one does it.
        /// - Throws: `AdministrationError` if a later version of the service has changed them.
        static func migrate(_ connection: PostgresConnection) throws {
            let known = versions.count
            try connection.transaction { connection in
                try connection.execute("SELECT pg_advisory_xact_lock(1, 1)")
                try connection.execute("CREATE TABLE IF NOT EXISTS migration (version integer PRIMARY KEY)")
                let present = try connection.execute("SELECT coalesce(max(version), 0) FROM migration")[0].integer(0)
                guard present <= known else {
                    throw AdministrationError(
                        description: "The database has version \(present), and this earshotd knows version \(known) "
                            + "at most; install the version that the other nodes have.")
                }
                for version in Int(present)..<known {
                    for script in versions[version] { try connection.run(script: script) }
                    try connection.execute(
                        "INSERT INTO migration (version) VALUES ($1)", [.integer(Int64(version + 1))])
                }
            }
        }

        // Times are milliseconds since 1970, by the clock of the database, which all nodes share.
        //
        // What a crash of the database may forget is UNLOGGED: sightings, the times of reports, rates. Such a change
        // waits for no disk. `alive` has a row until a crash, so that the sweep notices one.
        //
        // A delivery is a message that is, or was, near a subscription, with a new number at each change. One that was
        // near before a crash counts as near until `assumed_until`.
        //
        // `usage` counts the items of a key in 16 rows, so that orders of different devices seldom wait for each other.
        private static let tables = """
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
                revoked_at bigint
            );
            CREATE INDEX api_key_revoked ON api_key (id) WHERE revoked_at IS NOT NULL;
            CREATE TABLE usage (
                key_id bigint NOT NULL,
                slot integer NOT NULL,
                devices bigint NOT NULL,
                publications bigint NOT NULL,
                subscriptions bigint NOT NULL,
                PRIMARY KEY (key_id, slot)
            ) WITH (fillfactor = 20);
            CREATE TABLE device (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                identifier text NOT NULL,
                key_id bigint NOT NULL REFERENCES api_key,
                project_id bigint NOT NULL,
                hash bytea NOT NULL UNIQUE,
                expires_at bigint NOT NULL,
                sequence bigint NOT NULL DEFAULT 0,
                forgotten bigint NOT NULL DEFAULT 0
            ) WITH (fillfactor = 70);
            CREATE INDEX device_key ON device (key_id);
            CREATE INDEX device_expiry ON device (expires_at);
            CREATE TABLE publication (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                identifier text NOT NULL UNIQUE,
                device_id bigint NOT NULL,
                key_id bigint NOT NULL,
                project_id bigint NOT NULL,
                idempotency_key text,
                namespace text NOT NULL,
                type text NOT NULL,
                expires_at bigint NOT NULL,
                ended_at bigint,
                content_count bigint NOT NULL,
                content bytea NOT NULL
            );
            CREATE INDEX publication_device ON publication (device_id) WHERE ended_at IS NULL;
            CREATE INDEX publication_expiry ON publication (expires_at) WHERE ended_at IS NULL;
            CREATE INDEX publication_end ON publication (ended_at) WHERE ended_at IS NOT NULL;
            CREATE UNIQUE INDEX publication_repeat ON publication (device_id, idempotency_key) WHERE ended_at IS NULL;
            CREATE TABLE subscription (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                identifier text NOT NULL UNIQUE,
                device_id bigint NOT NULL,
                key_id bigint NOT NULL,
                project_id bigint NOT NULL,
                idempotency_key text,
                namespace text NOT NULL,
                type text NOT NULL,
                expires_at bigint NOT NULL
            );
            CREATE INDEX subscription_expiry ON subscription (expires_at);
            CREATE UNIQUE INDEX subscription_repeat ON subscription (device_id, idempotency_key);
            CREATE TABLE token (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                project_id bigint NOT NULL,
                bytes bigint NOT NULL,
                device_id bigint NOT NULL,
                publication_id bigint,
                subscription_id bigint,
                issued_at bigint NOT NULL,
                expires_at bigint NOT NULL,
                UNIQUE (project_id, bytes)
            );
            CREATE INDEX token_publication ON token (publication_id) WHERE publication_id IS NOT NULL;
            CREATE INDEX token_subscription ON token (subscription_id) WHERE subscription_id IS NOT NULL;
            CREATE INDEX token_expiry ON token (expires_at);
            CREATE TABLE delivery (
                subscription_id bigint NOT NULL,
                publication_id bigint NOT NULL,
                device_id bigint NOT NULL,
                is_found boolean NOT NULL,
                sequence bigint NOT NULL,
                changed_at bigint NOT NULL,
                assumed_until bigint,
                PRIMARY KEY (subscription_id, publication_id)
            );
            CREATE INDEX delivery_sequence ON delivery (device_id, sequence);
            CREATE INDEX delivery_publication ON delivery (publication_id);
            CREATE INDEX delivery_lost ON delivery (changed_at) WHERE NOT is_found;
            CREATE INDEX delivery_assumed ON delivery (assumed_until) WHERE assumed_until IS NOT NULL;

            CREATE UNLOGGED TABLE sighting (
                device_id bigint NOT NULL,
                token_id bigint NOT NULL,
                expires_at bigint NOT NULL,
                PRIMARY KEY (device_id, token_id)
            );
            CREATE INDEX sighting_token ON sighting (token_id);
            CREATE INDEX sighting_expiry ON sighting (expires_at);
            CREATE UNLOGGED TABLE presence (
                device_id bigint PRIMARY KEY,
                reported_at bigint NOT NULL
            ) WITH (fillfactor = 50);
            CREATE UNLOGGED TABLE rate (
                subject text PRIMARY KEY,
                level double precision NOT NULL,
                updated_at bigint NOT NULL,
                full_at bigint NOT NULL
            ) WITH (fillfactor = 50);
            CREATE INDEX rate_full ON rate (full_at);
            CREATE UNLOGGED TABLE alive (
                id integer PRIMARY KEY,
                swept_at timestamptz NOT NULL
            ) WITH (fillfactor = 50);

            INSERT INTO alive VALUES (1, clock_timestamp());

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
    }
#endif
