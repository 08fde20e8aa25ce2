/// The OpenAPI document that the service sends. A test compares its paths, methods and keys with the server.
enum OpenAPI {
    static let document = """
        {
          "openapi": "3.1.0",
          "info": {
            "title": "Earshot token service",
            "version": "1",
            "summary": "Publish here, found there: messages between devices within earshot.",
            "description": "Web pages use a browser key, of 'key create --browser'. Below /v1/, answers to a page of an origin \
        that a browser key allows have Access-Control-Allow-Origin and expose Retry-After. OPTIONS asks, without a key, \
        for the paths that take a browser key or its session.",
            "license": {"name": "Apache License 2.0", "identifier": "Apache-2.0"}
          },
          "security": [{"session": []}],
          "paths": {\(operationPaths),\(sessionPaths),\(publicationPaths),\(subscriptionPaths),\(nearbyPaths),
            \(lookUpPaths),\(beaconPaths),\(namespacePaths)},
          "components": {
            "securitySchemes": {
              "key": {"type": "http", "scheme": "bearer", "description": "An API key, of 'earshotd key create'. \
        A browser key is accepted in pages of its origins and of the service itself; other keys are refused in pages."},
              "owner": {"type": "http", "scheme": "bearer", "description": "An owner's key, of 'key create --owner'."},
              "session": {"type": "http", "scheme": "bearer", "description": "The session of POST /v1/devices. \
        The session of a browser key is accepted in the same pages as the key."}
            },
            "parameters": {
              "id": {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}
            },
            "responses": {
              "problem": {
                "description": "Refused. 'code' is for programs, 'message' and 'remedy' are for people.",
                "headers": {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds, with 429, 503."}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
              }
            },
            "schemas": {\(schemas),\(registrySchemas)}
          }
        }

        """

    /// An answer with a body of a named schema.
    static func answer(_ status: Int, _ schema: String, _ description: String) -> String {
        """
        "\(status)": {"description": "\(description)",
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/\(schema)"}}}}
        """
    }

    /// A request body of a named schema.
    static func body(_ schema: String, required: Bool = true) -> String {
        """
        "requestBody": {"required": \(required),
          "content": {"application/json": {"schema": {"$ref": "#/components/schemas/\(schema)"}}}}
        """
    }

    /// A member of a request that may be missing or null.
    static func optional(_ schema: String) -> String {
        ##"{"anyOf": [{"$ref": "#/components/schemas/\##(schema)"}, {"type": "null"}]}"##
    }

    /// The path parameter of a beacon.
    static let beacon = """
        "parameters": [{"name": "id", "in": "path", "required": true,
          "schema": {"$ref": "#/components/schemas/BeaconText"}}]
        """

    /// The path parameter of a publication or subscription.
    static let id = ##""parameters": [{"$ref": "#/components/parameters/id"}]"##

    /// The answer that every path may give.
    static let problem = ##""default": {"$ref": "#/components/responses/problem"}"##
}
