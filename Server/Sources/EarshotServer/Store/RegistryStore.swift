package import NearbyWire

/// The persistent register of beacons. Each call is atomic, like those of `Store`.
package protocol RegistryStore: Sendable {
    /// The number of a project.
    /// - Throws: `RegistryError.noSuchProject`, or the error of the database, as all calls may.
    func project(named name: String) async throws -> Int64

    func createNamespace(
        _ name: String, project: Int64, isPublic: Bool, limit: Int
    ) async throws -> Registered<Namespace>
    /// By name.
    func namespaces(_ scope: RegistryScope) async throws -> [Namespace]
    func setVisibility(of name: String, isPublic: Bool, _ scope: RegistryScope) async throws -> Namespace
    func removeNamespace(_ name: String, _ scope: RegistryScope) async throws

    func register(
        _ beacon: BeaconIdentifier, note: String, project: Int64, limit: Int
    ) async throws -> Registered<Beacon>
    func beacons(_ scope: RegistryScope, after: BeaconIdentifier?, limit: Int) async throws -> BeaconPage
    func beacon(_ beacon: BeaconIdentifier, _ scope: RegistryScope) async throws -> Beacon
    func remove(_ beacon: BeaconIdentifier, _ scope: RegistryScope) async throws

    func attach(
        _ attachment: Attachment, to beacon: BeaconIdentifier, _ scope: RegistryScope, limit: Int
    ) async throws -> Registered<Attachment>
    func detach(_ identifier: String, _ scope: RegistryScope) async throws
}
