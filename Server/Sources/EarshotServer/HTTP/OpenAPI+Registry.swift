extension OpenAPI {
    static let lookUpPaths = """
        "/v1/lookups": {"post": {
          "summary": "The messages that are attached to the beacons that the device hears.",
          "description": "Without a namespace: all of the project's own beacons. With one: those of this namespace, of \
        other projects too if it is PUBLIC. For a beacon of another project the answer is the same as for one that is not \
        registered: nothing. A session of a browser key is refused, because pages cannot hear beacons.",
          \(body("LookUp")),
          "responses": {\(answer(200, "LookUpAnswer", "In the order of the beacons.")), \(problem)}
        }}
        """

    static let beaconPaths = """
        "/v1/beacons": {
          "post": {
            "summary": "Register a beacon. A beacon belongs to one project.", "security": [{"owner": []}],
            "description": "If the project has it already, its note changes.",
            \(body("BeaconOrder")),
            "responses": {
              \(answer(201, "Beacon", "Registered.")), \(answer(200, "Beacon", "It was registered already.")),
              \(problem)
            }
          },
          "get": {
            "summary": "List the project's beacons with their attachments, 100 at a time.",
            "security": [{"owner": []}],
            "parameters": [{"name": "after", "in": "query", "schema": {"$ref": "#/components/schemas/BeaconText"},
              "description": "The 'next' of the previous answer."}],
            "responses": {\(answer(200, "BeaconList", "In the order of their identities.")), \(problem)}
          }
        },
        "/v1/beacons/{id}": {
          \(beacon),
          "get": {
            "summary": "A beacon of the project with its attachments. The id is the beacon's text form.",
            "security": [{"owner": []}],
            "responses": {\(answer(200, "Beacon", "The beacon.")), \(problem)}
          },
          "delete": {
            "summary": "Remove a beacon with its attachments.", "security": [{"owner": []}],
            "responses": {"204": {"description": "The beacon is no longer registered."}, \(problem)}
          }
        },
        "/v1/beacons/{id}/attachments": {
          \(beacon),
          "post": {
            "summary": "Attach a message to a beacon of the project, once.", "security": [{"owner": []}],
            "description": "Without a namespace, only the project itself can read it.",
            \(body("AttachmentOrder")),
            "responses": {
              \(answer(201, "Attachment", "Attached.")), \(answer(200, "Attachment", "It was attached already.")),
              \(problem)
            }
          }
        },
        "/v1/attachments/{id}": {
          \(id),
          "delete": {
            "summary": "Detach a message.", "security": [{"owner": []}],
            "responses": {"204": {"description": "The message is no longer attached."}, \(problem)}
          }
        }
        """

    static let namespacePaths = """
        "/v1/namespaces": {
          "post": {
            "summary": "Create a namespace. Its name is unique among all projects.", "security": [{"owner": []}],
            "description": "If the project has it already, its visibility does not change.",
            \(body("NamespaceOrder")),
            "responses": {
              \(answer(201, "OwnedNamespace", "Created.")), \(answer(200, "OwnedNamespace", "It existed already.")),
              \(problem)
            }
          },
          "get": {
            "summary": "List the project's namespaces.", "security": [{"owner": []}],
            "responses": {\(answer(200, "OwnedNamespaceList", "By name.")), \(problem)}
          }
        },
        "/v1/namespaces/{id}": {
          \(id),
          "put": {
            "summary": "Make a namespace public or unlisted. The id is its name.", "security": [{"owner": []}],
            \(body("Visibility")),
            "responses": {\(answer(200, "OwnedNamespace", "Changed.")), \(problem)}
          },
          "delete": {
            "summary": "Remove a namespace without attachments.", "security": [{"owner": []}],
            "responses": {"204": {"description": "The namespace no longer exists."}, \(problem)}
          }
        }
        """

    /// The text forms of beacons that `BeaconIdentifier` reads: names and digits in either case.
    private static let beaconPatterns = [
        "\(anyCase("eddystone")):\(digits(20)):\(digits(12))",
        "\(anyCase("ibeacon")):(\(digits(32))|\([8, 4, 4, 4, 12].map(digits).joined(separator: "-"))):\(short):\(short)",
        "\(anyCase("altbeacon")):0[xX]\(digits(4)):\(digits(40))",
    ]
    /// A decimal number of 0 to 65,535, with at most five digits.
    private static let short =
        "([0-9]{1,4}|[0-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"

    /// Control characters and line breaks, inside brackets of a pattern.
    private static let controls = #"\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029"#

    private static func digits(_ count: Int) -> String { "[0-9a-fA-F]{\(count)}" }

    private static func anyCase(_ name: String) -> String {
        name.map { "[\($0.lowercased())\($0.uppercased())]" }.joined()
    }

    static let registrySchemas = """
        "BeaconText": {"type": "string", "pattern": "^(\(beaconPatterns.joined(separator: "|")))$", "description": "eddystone:NAMESPACE:INSTANCE (20 and 12 hexadecimal digits), \
        ibeacon:UUID:MAJOR:MINOR or altbeacon:COMPANY:IDENTIFIER (0x and 4, and 40 hexadecimal digits)."},
        "AttachmentData": {"$ref": "#/components/schemas/Base64", "description": "At most 1,024 bytes."},
        "AttachmentType": {"type": "string", "maxLength": 100, "pattern": "^[^/\(controls)]*$", "default": ""},
        "AnyType": {"type": "string", "maxLength": 100, "pattern": "^[^\\\\u0000]*$"},
        "LookUp": {"type": "object", "required": ["beacons"],
          "description": "An empty namespace selects all of one's own, an empty type all types.", "properties": {
          "beacons": {"type": "array", "maxItems": 50, "items": {"$ref": "#/components/schemas/BeaconText"}},
          "namespace": \(optional("Namespace")), "type": \(optional("AnyType"))}},
        "LookUpAnswer": {"type": "object", "required": ["attachments"], "properties": {
          "attachments": {"type": "array", "items": {"$ref": "#/components/schemas/BeaconMessage"}}}},
        "BeaconMessage": {"type": "object", "required": ["beacon", "id", "namespace", "type", "data"], "properties": {
          "beacon": {"$ref": "#/components/schemas/BeaconText"}, "id": {"type": "string"},
          "namespace": {"$ref": "#/components/schemas/Namespace"},
          "type": {"$ref": "#/components/schemas/AttachmentType"},
          "data": {"$ref": "#/components/schemas/AttachmentData"}}},
        "BeaconOrder": {"type": "object", "required": ["beacon"], "properties": {
          "beacon": {"$ref": "#/components/schemas/BeaconText"},
          "note": {"type": ["string", "null"], "maxLength": 200, "pattern": "^[^\(controls)]*$",
            "description": "For people: where it hangs."}}},
        "Beacon": {"type": "object", "required": ["beacon", "note", "attachments"], "properties": {
          "beacon": {"$ref": "#/components/schemas/BeaconText"}, "note": {"type": "string"},
          "attachments": {"type": "array", "items": {"$ref": "#/components/schemas/Attachment"}}}},
        "BeaconList": {"type": "object", "required": ["beacons"], "properties": {
          "beacons": {"type": "array", "items": {"$ref": "#/components/schemas/Beacon"}},
          "next": {"$ref": "#/components/schemas/BeaconText", "description": "Missing on the last page."}}},
        "AttachmentOrder": {"type": "object", "required": ["data"], "properties": {
          "namespace": \(optional("Namespace")), "type": \(optional("AttachmentType")),
          "data": {"$ref": "#/components/schemas/AttachmentData"}}},
        "Attachment": {"type": "object", "required": ["id", "namespace", "type", "data"], "properties": {
          "id": {"type": "string"}, "namespace": {"$ref": "#/components/schemas/Namespace"},
          "type": {"$ref": "#/components/schemas/AttachmentType"},
          "data": {"$ref": "#/components/schemas/AttachmentData"}}},
        "VisibilityName": {"enum": ["UNLISTED", "PUBLIC"], "default": "UNLISTED"},
        "Visibility": {"type": "object", "required": ["visibility"], "properties": {
          "visibility": {"$ref": "#/components/schemas/VisibilityName"}}},
        "NamespaceOrder": {"type": "object", "required": ["namespace"], "properties": {
          "namespace": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
          "visibility": \(optional("VisibilityName"))}},
        "OwnedNamespace": {"type": "object", "required": ["namespace", "visibility"], "properties": {
          "namespace": {"type": "string"}, "visibility": {"$ref": "#/components/schemas/VisibilityName"}}},
        "OwnedNamespaceList": {"type": "object", "required": ["namespaces"], "properties": {
          "namespaces": {"type": "array", "items": {"$ref": "#/components/schemas/OwnedNamespace"}}}}
        """
}
