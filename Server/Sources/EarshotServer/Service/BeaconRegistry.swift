package import FoundationEssentials
package import NearbyWire

/// The register of beacons, their attachments and the namespaces: rules and limits around a store.
///
/// The operator's commands and the requests of owners' keys use the same one.
package struct BeaconRegistry: Sendable {
    private let store: any RegistryStore
    private let limits: ServiceLimits

    package init(_ store: any RegistryStore, limits: ServiceLimits = ServiceLimits()) {
        self.store = store
        self.limits = limits
    }

    // MARK: Namespaces

    /// Creates a namespace. If the project has it already, its visibility does not change.
    /// - Throws: `RegistryError`, or the error of the database, as all functions do.
    package func createNamespace(
        _ name: String, project: Int64, isPublic: Bool
    ) async throws -> Registered<Namespace> {
        let count = name.utf8.count
        let isPlain = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-._".utf8.contains(byte)
        }
        guard isPlain else {
            throw RegistryError.outOfRange(
                "The namespace has characters other than letters, digits, '-', '.' and '_'.",
                remedy: "Use these only, such as 'com.example.museum'.")
        }
        guard (1...limits.namespaceLength).contains(count) else {
            throw RegistryError.outOfRange(
                "The namespace has \(count) characters.",
                remedy: "Use 1 to \(limits.namespaceLength), such as 'com.example.museum'.")
        }
        return try await store.createNamespace(
            name, project: project, isPublic: isPublic, limit: limits.namespacesPerProject)
    }

    package func namespaces(_ scope: RegistryScope) async throws -> [Namespace] { try await store.namespaces(scope) }

    package func setVisibility(
        of name: String, isPublic: Bool, _ scope: RegistryScope
    ) async throws -> Namespace {
        try await store.setVisibility(of: name, isPublic: isPublic, scope)
    }

    /// Removes a namespace without attachments.
    package func removeNamespace(_ name: String, _ scope: RegistryScope) async throws {
        try await store.removeNamespace(name, scope)
    }

    // MARK: Beacons

    /// Registers a beacon. If the project has it already, its note changes.
    package func register(
        _ beacon: BeaconIdentifier, note: String, project: Int64
    ) async throws -> Registered<Beacon> {
        try require("note", note, upTo: limits.beaconNoteLength)
        return try await store.register(beacon, note: note, project: project, limit: limits.beaconsPerProject)
    }

    /// Beacons in the order of their identities, at most `ServiceLimits.beaconsPerPage`.
    package func beacons(_ scope: RegistryScope, after: BeaconIdentifier? = nil) async throws -> BeaconPage {
        try await store.beacons(scope, after: after, limit: limits.beaconsPerPage)
    }

    package func beacon(_ beacon: BeaconIdentifier, _ scope: RegistryScope) async throws -> Beacon {
        try await store.beacon(beacon, scope)
    }

    /// Removes a beacon with its attachments. Then any project may register it.
    package func remove(_ beacon: BeaconIdentifier, _ scope: RegistryScope) async throws {
        try await store.remove(beacon, scope)
    }

    // MARK: Attachments

    /// Attaches a message to a registered beacon, once: repeated with the same values, it returns the existing attachment.
    /// - Parameter namespace: empty for the default namespace; else one of the beacon's project.
    package func attach(
        _ data: Data, type: String, namespace: String, to beacon: BeaconIdentifier, _ scope: RegistryScope
    ) async throws -> Registered<Attachment> {
        guard data.count <= limits.attachmentBytes else {
            throw RegistryError.outOfRange(
                "The data has \(data.count) bytes.",
                remedy: "Use at most \(limits.attachmentBytes); store more elsewhere and attach its address.")
        }
        try require("type", type, upTo: limits.attachmentTypeLength)
        guard !type.utf8.contains(UInt8(ascii: "/")) else {
            throw RegistryError.outOfRange("The type has the character '/'.", remedy: "Leave it out.")
        }
        let attachment = Attachment(identifier: Secret.newIdentifier(), namespace: namespace, type: type, data: data)
        return try await store.attach(attachment, to: beacon, scope, limit: limits.attachmentsPerBeacon)
    }

    /// Removes an attachment.
    package func detach(_ identifier: String, _ scope: RegistryScope) async throws {
        try await store.detach(identifier, scope)
    }

    private func require(_ name: String, _ text: String, upTo limit: Int) throws {
        let count = text.unicodeScalars.count
        guard count <= limit else {
            throw RegistryError.outOfRange("The \(name) has \(count) characters.", remedy: "Use at most \(limit).")
        }
        // The operator's lists have one entry per line, with tabs, and SQLite ends a text at NUL.
        let isOneLine = text.unicodeScalars.allSatisfy { scalar in
            ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
        guard isOneLine else {
            throw RegistryError.outOfRange(
                "The \(name) has a line break, a tab or another control character.", remedy: "Leave it out.")
        }
    }
}
