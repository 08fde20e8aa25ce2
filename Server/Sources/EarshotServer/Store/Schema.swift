import GRDB
import Glibc

/// The tables, version by version. Released versions do not change; a change adds a version.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { try $0.execute(sql: version1) }
        migrator.registerMigration("2") { try $0.execute(sql: version2) }
        migrator.registerMigration("3") { try $0.execute(sql: version3) }
        migrator.registerMigration("4") { try $0.execute(sql: version4) }
        migrator.registerMigration("5") { try $0.execute(sql: version5) }
        migrator.registerMigration("6") { try $0.execute(sql: version6) }
        migrator.registerMigration("7") { try $0.execute(sql: version7) }
        return migrator
    }

    /// Checks that a file has this service's tables, or none if it `creates` them. Changes nothing.
    /// - Throws: `AdministrationError` if it has those of another program or of a later earshotd; GRDB's `DatabaseError`.
    static func check(_ path: String, creates: Bool) throws {
        guard access(path, F_OK) == 0 else { return }
        var reading = Configuration()
        reading.readonly = true
        reading.busyMode = .timeout(5)
        let database = try DatabaseQueue(path: path, configuration: reading)
        defer { try? database.close() }
        try database.read { database in
            let tables = try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
            guard tables.contains("grdb_migrations") || (creates && tables.isEmpty) else {
                throw AdministrationError(
                    description: "'\(path)' has \(tables.isEmpty ? "no tables" : "tables of another program"). "
                        + "Name the service's database with --database or --configuration.")
            }
            guard try !migrator.hasBeenSuperseded(database) else {
                throw AdministrationError(
                    description:
                        "'\(path)' is of a later earshotd. Install that version, or restore a backup from before the upgrade."
                )
            }
        }
    }

    // The salt of a sealed project, and the key of a sealed publication, wrapped for each of its tokens. Both are null in an open project.
    private static let version7 = """
        ALTER TABLE project ADD COLUMN salt BLOB;
        ALTER TABLE token ADD COLUMN wrapped_key BLOB;
        """

    // The items that the operator wants to end, by identifier. A command writes them from its own process, and the
    // service reads them when the count of `revocation` changes.
    private static let version6 = """
        CREATE TABLE ending (device TEXT, publication TEXT);
        CREATE TRIGGER ending_wanted AFTER INSERT ON ending BEGIN
            UPDATE revocation SET count = count + 1;
        END;
        """

    // The origins of a browser key, separated by spaces; null for other keys. A browser key without origins is only for
    // the service's own pages.
    private static let version5 = "ALTER TABLE api_key ADD COLUMN origins TEXT"

    // Requests look items up in memory (`Live`), so these tables have no indexes, and a change writes few pages.
    // Sightings are in memory only. An ended device has no row. Deliveries are in the order in which their stream reads
    // them.
    private static let version4 = """
        CREATE TABLE device4 (
            id INTEGER PRIMARY KEY,
            identifier TEXT NOT NULL,
            key_id INTEGER NOT NULL,
            project_id INTEGER NOT NULL,
            hash BLOB NOT NULL,
            expires_at INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            forgotten INTEGER NOT NULL
        );
        INSERT INTO device4 SELECT id, identifier, key_id, project_id, hash, expires_at, sequence, forgotten
            FROM device WHERE ended_at IS NULL;
        CREATE TABLE publication4 (
            id INTEGER PRIMARY KEY,
            identifier TEXT NOT NULL,
            device_id INTEGER NOT NULL,
            project_id INTEGER NOT NULL,
            idempotency_key TEXT,
            namespace TEXT NOT NULL,
            type TEXT NOT NULL,
            expires_at INTEGER NOT NULL,
            ended_at INTEGER,
            content_count INTEGER NOT NULL,
            content BLOB NOT NULL
        );
        INSERT INTO publication4 SELECT id, identifier, device_id, project_id, idempotency_key, namespace, type,
            expires_at, ended_at, content_count, content FROM publication;
        CREATE TABLE subscription4 (
            id INTEGER PRIMARY KEY,
            identifier TEXT NOT NULL,
            device_id INTEGER NOT NULL,
            project_id INTEGER NOT NULL,
            idempotency_key TEXT,
            namespace TEXT NOT NULL,
            type TEXT NOT NULL,
            expires_at INTEGER NOT NULL
        );
        INSERT INTO subscription4 SELECT id, identifier, device_id, project_id, idempotency_key, namespace, type,
            expires_at FROM subscription;
        CREATE TABLE token4 (
            id INTEGER PRIMARY KEY,
            project_id INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            device_id INTEGER NOT NULL,
            publication_id INTEGER,
            subscription_id INTEGER,
            issued_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL
        );
        INSERT INTO token4 SELECT id, project_id, bytes, device_id, publication_id, subscription_id, issued_at,
            expires_at FROM token;
        CREATE TABLE delivery4 (
            device_id INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            subscription_id INTEGER NOT NULL,
            publication_id INTEGER NOT NULL,
            is_found INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            PRIMARY KEY (device_id, sequence)
        ) WITHOUT ROWID;
        INSERT INTO delivery4 SELECT device_id, sequence, subscription_id, publication_id, is_found, changed_at
            FROM delivery WHERE device_id IN (SELECT id FROM device4);
        DROP TABLE sighting;
        DROP TABLE delivery;
        DROP TABLE token;
        DROP TABLE subscription;
        DROP TABLE publication;
        DROP TABLE device;
        ALTER TABLE device4 RENAME TO device;
        ALTER TABLE publication4 RENAME TO publication;
        ALTER TABLE subscription4 RENAME TO subscription;
        ALTER TABLE token4 RENAME TO token;
        ALTER TABLE delivery4 RENAME TO delivery;
        ALTER TABLE api_key DROP COLUMN devices;
        ALTER TABLE api_key DROP COLUMN publications;
        ALTER TABLE api_key DROP COLUMN subscriptions;

        CREATE TABLE revocation (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL);
        INSERT INTO revocation (id, count) VALUES (1, 0);
        CREATE TRIGGER key_revoked AFTER UPDATE OF revoked_at ON api_key BEGIN
            UPDATE revocation SET count = count + 1;
        END;
        """

    // A beacon and a namespace belong to one project each. An attachment without a namespace is in the default one of its
    // beacon's project. A sighting records how the token was heard, for the operator: matching does not use it.
    private static let version3 = """
        ALTER TABLE api_key ADD COLUMN role TEXT NOT NULL DEFAULT 'device' CHECK (role IN ('device', 'owner'));
        ALTER TABLE sighting ADD COLUMN medium TEXT;
        ALTER TABLE sighting ADD COLUMN rssi_dbm INTEGER;

        CREATE TABLE namespace (
            id INTEGER PRIMARY KEY,
            project_id INTEGER NOT NULL REFERENCES project(id),
            name TEXT NOT NULL UNIQUE,
            is_public INTEGER NOT NULL,
            created_at INTEGER NOT NULL
        );
        CREATE INDEX namespace_project ON namespace(project_id);

        CREATE TABLE beacon (
            id INTEGER PRIMARY KEY,
            project_id INTEGER NOT NULL REFERENCES project(id),
            kind TEXT NOT NULL,
            identifier BLOB NOT NULL,
            note TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            UNIQUE (kind, identifier)
        );
        CREATE INDEX beacon_project ON beacon(project_id, kind, identifier);

        CREATE TABLE attachment (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            identifier TEXT NOT NULL UNIQUE,
            beacon_id INTEGER NOT NULL REFERENCES beacon(id) ON DELETE CASCADE,
            namespace_id INTEGER REFERENCES namespace(id),
            type TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            data BLOB NOT NULL
        );
        CREATE INDEX attachment_beacon ON attachment(beacon_id);
        CREATE INDEX attachment_namespace ON attachment(namespace_id) WHERE namespace_id IS NOT NULL;
        """

    // One row, which the service overwrites to see whether a write reaches the disk.
    private static let version2 = """
        CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), written_at INTEGER NOT NULL);
        INSERT INTO probe (id, written_at) VALUES (1, 0);
        """

    // Times are milliseconds since 1970. Content is the last column, so that a scan of the others does not read it.
    //
    // A sighting records that a device hears a token. A delivery is a message that is, or was, near a subscription: one
    // row for each pair, with a new number at each change. So a stream resumes from one number, and the backlog of a
    // sleeping device is at most the number of pairs.
    //
    // A key's row counts the items of its devices, so that checking a limit always costs the same.
    private static let version1 = """
        CREATE TABLE project (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            created_at INTEGER NOT NULL
        );
        CREATE TABLE api_key (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            project_id INTEGER NOT NULL REFERENCES project(id),
            name TEXT NOT NULL,
            hash BLOB NOT NULL UNIQUE,
            created_at INTEGER NOT NULL,
            revoked_at INTEGER,
            devices INTEGER NOT NULL DEFAULT 0,
            publications INTEGER NOT NULL DEFAULT 0,
            subscriptions INTEGER NOT NULL DEFAULT 0
        );
        CREATE TABLE device (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            identifier TEXT NOT NULL,
            key_id INTEGER NOT NULL REFERENCES api_key(id),
            project_id INTEGER NOT NULL REFERENCES project(id),
            hash BLOB NOT NULL UNIQUE,
            expires_at INTEGER NOT NULL,
            ended_at INTEGER,
            sequence INTEGER NOT NULL DEFAULT 0,
            forgotten INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX device_key ON device(key_id) WHERE ended_at IS NULL;
        CREATE INDEX device_expiry ON device(expires_at) WHERE ended_at IS NULL;
        CREATE INDEX device_end ON device(ended_at) WHERE ended_at IS NOT NULL;
        CREATE TRIGGER device_opened AFTER INSERT ON device BEGIN
            UPDATE api_key SET devices = devices + 1 WHERE id = NEW.key_id;
        END;
        CREATE TRIGGER device_ended AFTER UPDATE OF ended_at ON device
            WHEN OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL BEGIN
            UPDATE api_key SET devices = devices - 1 WHERE id = NEW.key_id;
        END;

        CREATE TABLE publication (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            identifier TEXT NOT NULL UNIQUE,
            device_id INTEGER NOT NULL REFERENCES device(id),
            key_id INTEGER NOT NULL,
            project_id INTEGER NOT NULL,
            idempotency_key TEXT,
            namespace TEXT NOT NULL,
            type TEXT NOT NULL,
            expires_at INTEGER NOT NULL,
            ended_at INTEGER,
            content_count INTEGER NOT NULL,
            content BLOB NOT NULL
        );
        CREATE INDEX publication_device ON publication(device_id, expires_at) WHERE ended_at IS NULL;
        CREATE INDEX publication_owner ON publication(device_id);
        CREATE INDEX publication_expiry ON publication(expires_at) WHERE ended_at IS NULL;
        CREATE INDEX publication_end ON publication(ended_at) WHERE ended_at IS NOT NULL;
        CREATE UNIQUE INDEX publication_repeat ON publication(device_id, idempotency_key)
            WHERE ended_at IS NULL AND idempotency_key IS NOT NULL;
        CREATE TRIGGER publication_made AFTER INSERT ON publication BEGIN
            UPDATE api_key SET publications = publications + 1 WHERE id = NEW.key_id;
        END;
        CREATE TRIGGER publication_ended AFTER UPDATE OF ended_at ON publication
            WHEN OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL BEGIN
            UPDATE api_key SET publications = publications - 1 WHERE id = NEW.key_id;
        END;

        CREATE TABLE subscription (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            identifier TEXT NOT NULL UNIQUE,
            device_id INTEGER NOT NULL REFERENCES device(id),
            key_id INTEGER NOT NULL,
            project_id INTEGER NOT NULL,
            idempotency_key TEXT,
            namespace TEXT NOT NULL,
            type TEXT NOT NULL,
            expires_at INTEGER NOT NULL
        );
        CREATE INDEX subscription_device ON subscription(device_id, expires_at);
        CREATE INDEX subscription_expiry ON subscription(expires_at);
        CREATE UNIQUE INDEX subscription_repeat ON subscription(device_id, idempotency_key)
            WHERE idempotency_key IS NOT NULL;
        CREATE TRIGGER subscription_made AFTER INSERT ON subscription BEGIN
            UPDATE api_key SET subscriptions = subscriptions + 1 WHERE id = NEW.key_id;
        END;
        CREATE TRIGGER subscription_ended AFTER DELETE ON subscription BEGIN
            UPDATE api_key SET subscriptions = subscriptions - 1 WHERE id = OLD.key_id;
        END;

        CREATE TABLE token (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            project_id INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            device_id INTEGER NOT NULL,
            publication_id INTEGER REFERENCES publication(id) ON DELETE SET NULL,
            subscription_id INTEGER REFERENCES subscription(id) ON DELETE SET NULL,
            issued_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            UNIQUE (project_id, bytes)
        );
        CREATE INDEX token_device ON token(device_id);
        CREATE INDEX token_publication ON token(publication_id);
        CREATE INDEX token_subscription ON token(subscription_id);
        CREATE INDEX token_expiry ON token(expires_at);

        CREATE TABLE sighting (
            device_id INTEGER NOT NULL,
            token_id INTEGER NOT NULL REFERENCES token(id) ON DELETE CASCADE,
            expires_at INTEGER NOT NULL,
            PRIMARY KEY (device_id, token_id)
        ) WITHOUT ROWID;
        CREATE INDEX sighting_token ON sighting(token_id);
        CREATE INDEX sighting_expiry ON sighting(expires_at);

        CREATE TABLE delivery (
            subscription_id INTEGER NOT NULL REFERENCES subscription(id) ON DELETE CASCADE,
            publication_id INTEGER NOT NULL REFERENCES publication(id),
            device_id INTEGER NOT NULL,
            is_found INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            PRIMARY KEY (subscription_id, publication_id)
        ) WITHOUT ROWID;
        CREATE INDEX delivery_sequence ON delivery(device_id, sequence);
        CREATE INDEX delivery_publication ON delivery(publication_id);
        CREATE INDEX delivery_lost ON delivery(changed_at) WHERE is_found = 0;
        """
}
