import FoundationEssentials
import HTTPTypes
import Hummingbird
import NearbyWire

/// The endpoints of beacons: a question for devices, and the register for the holder of an owner's key.
extension API {
    var lookUps: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/lookups",
                session(isForBrowsers: false) { request, session, _ in
                    let question = try await request.decode(LookUpBody.self, upTo: service.limits.bodyBytes)
                    let filter = MessageFilter(namespace: question.namespace ?? "", type: question.type ?? "")
                    return try .json(
                        LookUpAnswerBody(
                            try await service.lookUp(question.beacons, filter, for: session)))
                })
        ]
    }

    var beacons: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/beacons",
                owner { request, project, _ in
                    let order = try await request.decode(BeaconOrderBody.self, upTo: service.limits.bodyBytes)
                    let registered = try await service.registry.register(
                        order.beacon, note: order.note ?? "", project: project)
                    return try .json(
                        BeaconBody(registered.value), status: registered.isNew ? .created : .ok)
                }),
            Endpoint(
                .get, "/v1/beacons",
                owner { request, project, _ in
                    let after = try request.uri.queryParameters["after"].map { try Self.beacon(String($0)) }
                    return try .json(
                        BeaconListBody(try await service.registry.beacons(.project(project), after: after)))
                }),
            Endpoint(
                .get, "/v1/beacons/{id}",
                owner { _, project, context in
                    let beacon = try Self.beacon(context)
                    return try .json(BeaconBody(try await service.registry.beacon(beacon, .project(project))))
                }),
            Endpoint(
                .delete, "/v1/beacons/{id}",
                owner { _, project, context in
                    try await service.registry.remove(try Self.beacon(context), .project(project))
                    return .nothing
                }),
            Endpoint(
                .post, "/v1/beacons/{id}/attachments",
                owner { request, project, context in
                    let beacon = try Self.beacon(context)
                    let order = try await request.decode(AttachmentOrderBody.self, upTo: service.limits.bodyBytes)
                    let attached = try await service.registry.attach(
                        order.data, type: order.type ?? "", namespace: order.namespace ?? "", to: beacon,
                        .project(project))
                    return try .json(AttachmentBody(attached.value), status: attached.isNew ? .created : .ok)
                }),
            Endpoint(
                .delete, "/v1/attachments/{id}",
                owner { _, project, context in
                    try await service.registry.detach(context.parameters.get("id") ?? "", .project(project))
                    return .nothing
                }),
        ]
    }

    var namespaces: [Endpoint] {
        [
            Endpoint(
                .post, "/v1/namespaces",
                owner { request, project, _ in
                    let order = try await request.decode(NamespaceOrderBody.self, upTo: service.limits.bodyBytes)
                    let created = try await service.registry.createNamespace(
                        order.namespace, project: project, isPublic: order.visibility == .isPublic)
                    return try .json(NamespaceBody(created.value), status: created.isNew ? .created : .ok)
                }),
            Endpoint(
                .get, "/v1/namespaces",
                owner { _, project, _ in
                    let all = try await service.registry.namespaces(.project(project))
                    return try .json(NamespaceListBody(namespaces: all.map(NamespaceBody.init)))
                }),
            Endpoint(
                .put, "/v1/namespaces/{id}",
                owner { request, project, context in
                    let order = try await request.decode(VisibilityBody.self, upTo: service.limits.bodyBytes)
                    let namespace = try await service.registry.setVisibility(
                        of: context.parameters.get("id") ?? "", isPublic: order.visibility == .isPublic,
                        .project(project))
                    return try .json(NamespaceBody(namespace))
                }),
            Endpoint(
                .delete, "/v1/namespaces/{id}",
                owner { _, project, context in
                    try await service.registry.removeNamespace(
                        context.parameters.get("id") ?? "", .project(project))
                    return .nothing
                }),
        ]
    }

    /// An answer that needs an owner's key. The number is the project's.
    private func owner(
        _ answer: @escaping @Sendable (Request, Int64, ServiceContext) async throws -> Response
    ) -> @Sendable (Request, ServiceContext) async throws -> Response {
        { request, context in
            let project = try await service.ownedProject(
                key: try request.bearer(), from: browsers.source(of: request, context))
            do {
                return try await answer(request, project, context)
            } catch let error as RegistryError {
                throw Problem(error)
            }
        }
    }

    /// The beacon of the path. Clients may write its colons as `%3A`.
    private static func beacon(_ context: ServiceContext) throws -> BeaconIdentifier {
        let text = context.parameters.get("id") ?? ""
        return try beacon(text.replacing("%3A", with: ":").replacing("%3a", with: ":"))
    }

    private static func beacon(_ text: String) throws -> BeaconIdentifier {
        do throws(BeaconTextError) { return try BeaconIdentifier(text: text) } catch { throw Problem.badBeacon(error) }
    }
}
