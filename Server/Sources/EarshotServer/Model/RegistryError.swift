import Hummingbird

/// The reason why an order about beacons or namespaces fails. The operator's commands print its description; over HTTP it becomes
/// a `Problem`.
package enum RegistryError: Error, Sendable, Equatable, CustomStringConvertible {
    case noSuchProject(String)
    /// The beacon is not registered or, for an owner's key, belongs to another project.
    case noSuchBeacon
    case noSuchAttachment
    case noSuchNamespace
    /// Registered in another project.
    case beaconTaken
    /// Owned by another project.
    case namespaceTaken
    case namespaceInUse(attachmentCount: Int)
    case tooManyBeacons(limit: Int)
    case tooManyAttachments(limit: Int)
    case tooManyNamespaces(limit: Int)
    case outOfRange(String, remedy: String)

    /// The problem and its remedy.
    package var description: String { "\(message) \(remedy)" }

    var message: String {
        switch self {
        case .noSuchProject(let name): "There is no project '\(name)'."
        case .noSuchBeacon: "There is no such beacon."
        case .noSuchAttachment: "There is no such attachment."
        case .noSuchNamespace: "There is no such namespace."
        case .beaconTaken: "The beacon belongs to another project."
        case .namespaceTaken: "The namespace belongs to another project."
        case .namespaceInUse(let count): "The namespace has \(count) \(count == 1 ? "attachment" : "attachments")."
        case .tooManyBeacons(let limit): "The project has \(limit) beacons, which is the limit."
        case .tooManyAttachments(let limit): "The beacon has \(limit) attachments, which is the limit."
        case .tooManyNamespaces(let limit): "The project has \(limit) namespaces, which is the limit."
        case .outOfRange(let message, _): message
        }
    }

    var remedy: String {
        switch self {
        case .noSuchProject: "Create it with 'earshotd project create'."
        case .noSuchBeacon:
            "'earshotd beacon list' shows the registered beacons, and 'earshotd beacon register' adds one."
        case .noSuchAttachment: "'earshotd beacon list' shows them all."
        case .noSuchNamespace:
            "'earshotd namespace list' shows the existing ones, and 'earshotd namespace create' adds one."
        case .beaconTaken: "That project has to remove it first."
        case .namespaceTaken: "Choose another name."
        case .namespaceInUse: "Detach them first."
        case .tooManyBeacons, .tooManyAttachments, .tooManyNamespaces: "Remove those no longer needed."
        case .outOfRange(_, let remedy): remedy
        }
    }
}

extension Problem {
    init(_ error: RegistryError) {
        let (status, code): (HTTPResponse.Status, String) =
            switch error {
            case .noSuchProject: (.notFound, "no_such_project")
            case .noSuchBeacon: (.notFound, "no_such_beacon")
            case .noSuchAttachment: (.notFound, "no_such_attachment")
            case .noSuchNamespace: (.notFound, "no_such_namespace")
            case .beaconTaken: (.conflict, "beacon_taken")
            case .namespaceTaken: (.conflict, "namespace_taken")
            case .namespaceInUse: (.conflict, "namespace_in_use")
            case .tooManyBeacons: (.conflict, "too_many_beacons")
            case .tooManyAttachments: (.conflict, "too_many_attachments")
            case .tooManyNamespaces: (.conflict, "too_many_namespaces")
            case .outOfRange: (.unprocessableContent, "out_of_range")
            }
        self.init(status, code, error.message, remedy: error.remedy)
    }
}
