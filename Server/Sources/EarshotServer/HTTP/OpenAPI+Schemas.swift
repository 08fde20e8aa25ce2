import NearbyWire

extension OpenAPI {
    static let schemas = """
        "Problem": {"type": "object", "required": ["problem"], "properties": {"problem": {
          "type": "object", "required": ["code", "message", "remedy"], "properties": {
            "code": {"type": "string"}, "message": {"type": "string"}, "remedy": {"type": "string"}}}}},
        "Health": {"type": "object", "required": ["status"], "properties": {"status": {"const": "ok"}}},
        "Session": {"type": "object", "required": ["device", "session", "expires_in_s", "terms"], "properties": {
          "device": {"type": "string", "description": "A name for logs; no secret."},
          "session": {"type": "string", "description": "A secret. The service stores only its hash."},
          "expires_in_s": {"$ref": "#/components/schemas/Seconds"},
          "terms": {"$ref": "#/components/schemas/Terms"}}},
        "Terms": {"type": "object", "required": ["token_lifetime_s", "sighting_lifetime_s", "silence_s",
            "longest_ttl_s", "content_bytes", "tokens_per_report"], "properties": {
          "token_lifetime_s": {"$ref": "#/components/schemas/Seconds"},
          "sighting_lifetime_s": {"$ref": "#/components/schemas/Seconds"},
          "silence_s": {"$ref": "#/components/schemas/Seconds"},
          "longest_ttl_s": {"$ref": "#/components/schemas/Seconds"},
          "content_bytes": {"type": "integer"}, "tokens_per_report": {"type": "integer"},
          "sealing": {"$ref": "#/components/schemas/Sealing"}}},
        "SessionOrder": {"type": "object", "properties": {"sealing": {"type": ["array", "null"],
          "items": {"type": "number"}, "description": "The versions of sealing that the client supports, such as [1]."}}},
        "Sealing": {"type": "object", "required": ["version", "salt", "rounds"],
          "description": "How devices of a sealed project seal messages: docs/PROTOCOL.md, section 12.", "properties": {
          "version": {"type": "integer"}, "salt": {"$ref": "#/components/schemas/Base64"},
          "rounds": {"type": "integer"}}},
        "Device": {"type": "object", "required": ["device", "expires_in_s"], "properties": {
          "device": {"type": "string"}, "expires_in_s": {"$ref": "#/components/schemas/Seconds"}}},
        "Token": {"type": "object", "required": ["token", "expires_in_s", "rotate_in_s"], "properties": {
          "token": {"$ref": "#/components/schemas/TokenDigits"},
          "expires_in_s": {"$ref": "#/components/schemas/Seconds"},
          "rotate_in_s": {"type": "integer", "description": "Renew after this many seconds to get the next token."}}},
        "TokenOffer": {"type": "object", "required": ["token"], "description": "In a sealed project only: the identifier of \
        the next token, and of a publication its key, wrapped for the token.", "properties": {
          "token": {"$ref": "#/components/schemas/TokenDigits"}, "key": \(optional("WrappedKey"))}},
        "WrappedKey": {"type": "string", "contentEncoding": "base64", "pattern": "^[A-Za-z0-9+/]{80}$",
          "description": "60 bytes."},
        "TokenDigits": {"type": "string", "pattern": "^[0-9a-fA-F]{16}$", "description": "8 bytes."},
        "Seconds": {"type": "integer", "minimum": 0},
        "TimeToLive": {"type": "integer", "minimum": 1, "maximum": 86400, "default": 300},
        "Namespace": {"type": "string", "maxLength": 64, "pattern": "^[^\\\\u0000]*$", "default": ""},
        "Type": {"type": "string", "maxLength": 32, "pattern": "^[^\\\\u0000]*$", "default": ""},
        "IdempotencyKey": {"type": "string", "maxLength": 64, "pattern": "^[^\\\\u0000]*$"},
        "Base64": {"type": "string", "contentEncoding": "base64",
          "pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"},
        "Renewal": {"type": "object", "properties": {"ttl_s": \(optional("TimeToLive")),
          "token": \(optional("TokenOffer"))}},
        "PublicationOrder": {"type": "object", "required": ["content"], "properties": {
          "namespace": \(optional("Namespace")), "type": \(optional("Type")),
          "content": {"$ref": "#/components/schemas/Base64", "description": "At most 102,400 bytes; sealed, at most \
        \(Sealing.maximumOverheadCount) more."},
          "ttl_s": \(optional("TimeToLive")), "idempotency_key": \(optional("IdempotencyKey")),
          "token": \(optional("TokenOffer"))}},
        "Publication": {"type": "object", "required": ["id", "namespace", "type", "content_bytes", "expires_in_s"],
          "properties": {
          "id": {"type": "string"}, "namespace": {"$ref": "#/components/schemas/Namespace"},
          "type": {"$ref": "#/components/schemas/Type"}, "content_bytes": {"type": "integer"},
          "expires_in_s": {"$ref": "#/components/schemas/Seconds"},
          "token": {"$ref": "#/components/schemas/Token"}}},
        "PublicationList": {"type": "object", "required": ["publications"], "properties": {
          "publications": {"type": "array", "items": {"$ref": "#/components/schemas/Publication"}}}},
        "SubscriptionOrder": {"type": "object", "description": "An empty type selects all.", "properties": {
          "namespace": \(optional("Namespace")), "type": \(optional("Type")),
          "ttl_s": \(optional("TimeToLive")), "idempotency_key": \(optional("IdempotencyKey")),
          "token": \(optional("TokenOffer"))}},
        "Subscription": {"type": "object", "required": ["id", "namespace", "type", "expires_in_s"], "properties": {
          "id": {"type": "string"}, "namespace": {"$ref": "#/components/schemas/Namespace"},
          "type": {"$ref": "#/components/schemas/Type"},
          "expires_in_s": {"$ref": "#/components/schemas/Seconds"},
          "token": {"$ref": "#/components/schemas/Token"}}},
        "SubscriptionList": {"type": "object", "required": ["subscriptions"], "properties": {
          "subscriptions": {"type": "array", "items": {"$ref": "#/components/schemas/Subscription"}}}},
        "Sightings": {"type": "object", "description": "At most 100 tokens in all.", "properties": {
          "heard": {"type": ["array", "null"], "maxItems": 100, "items": {"oneOf": [
            {"$ref": "#/components/schemas/ReportedToken"}, {"$ref": "#/components/schemas/HeardToken"}]}},
          "lost": {"type": ["array", "null"], "maxItems": 100,
            "items": {"$ref": "#/components/schemas/ReportedToken"}},
          "keys": {"type": ["array", "null"], "maxItems": \(Sealing.keysPerReport),
            "items": {"$ref": "#/components/schemas/PublicationKey"}}}},
        "PublicationKey": {"type": "object", "required": ["token", "publication", "key"], "description": "In a sealed \
        project only: the key of one's own publication, wrapped for a token that the device hears. Others are ignored.",
          "properties": {"token": {"$ref": "#/components/schemas/ReportedToken"}, "publication": {"type": "string"},
            "key": {"$ref": "#/components/schemas/WrappedKey"}}},
        "ReportedToken": {"type": "string", "description": "16 hexadecimal digits. Any other text is INVALID."},
        "HeardToken": {"type": "object", "required": ["token"], "description": "Other members, such as medium and rssi_dbm \
        of older clients, are ignored.", "properties": {
          "token": {"$ref": "#/components/schemas/ReportedToken"},
          "age_s": {"type": ["number", "null"], "minimum": 0, "maximum": 86400, "description": "Since it was last \
        heard. The sighting expires earlier by this time."}}},
        "SightingsAnswer": {"type": "object", "required": ["heard", "lost"], "properties": {
          "heard": {"type": "array", "items": {"$ref": "#/components/schemas/Sighting"}},
          "lost": {"type": "array", "items": {"$ref": "#/components/schemas/Sighting"}}}},
        "Sighting": {"type": "object", "required": ["token", "status"], "properties": {
          "token": {"type": "string"}, "status": {"enum": ["VALID", "INVALID", "EXPIRED"]}}},
        "Ready": {"type": "object", "required": ["resumed"], "properties": {"resumed": {"type": "boolean"}}},
        "Change": {"type": "object", "required": ["subscription", "message"], "properties": {
          "subscription": {"type": "string"}, "message": {"$ref": "#/components/schemas/Message"}}},
        "Message": {"type": "object", "required": ["id", "namespace", "type", "content"], "properties": {
          "id": {"type": "string", "description": "The same in found and lost."},
          "namespace": {"$ref": "#/components/schemas/Namespace"}, "type": {"$ref": "#/components/schemas/Type"},
          "content": {"$ref": "#/components/schemas/Base64"},
          "keys": {"type": "array", "items": {"$ref": "#/components/schemas/Key"}, "description": "Of a sealed message."}}},
        "Key": {"type": "object", "required": ["token", "key"], "properties": {
          "token": {"$ref": "#/components/schemas/TokenDigits"}, "key": {"$ref": "#/components/schemas/WrappedKey"}}}
        """
}
