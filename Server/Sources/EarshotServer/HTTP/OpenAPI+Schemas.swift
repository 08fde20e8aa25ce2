extension OpenAPI {
    static let schemas = """
        "Problem": {"type": "object", "required": ["problem"], "properties": {"problem": {
          "type": "object", "required": ["code", "message", "remedy"], "properties": {
            "code": {"type": "string"}, "message": {"type": "string"}, "remedy": {"type": "string"}}}}},
        "Health": {"type": "object", "required": ["status"], "properties": {"status": {"const": "ok"}}},
        "Session": {"type": "object", "required": ["device", "session", "expires_in_s", "terms"], "properties": {
          "device": {"type": "string", "description": "A name for logs; no secret."},
          "session": {"type": "string", "description": "A secret: nowhere else, not even with the service."},
          "expires_in_s": {"$ref": "#/components/schemas/Seconds"},
          "terms": {"$ref": "#/components/schemas/Terms"}}},
        "Terms": {"type": "object", "required": ["token_lifetime_s", "sighting_lifetime_s", "silence_s",
            "longest_ttl_s", "content_bytes", "tokens_per_report"], "properties": {
          "token_lifetime_s": {"$ref": "#/components/schemas/Seconds"},
          "sighting_lifetime_s": {"$ref": "#/components/schemas/Seconds"},
          "silence_s": {"$ref": "#/components/schemas/Seconds"},
          "longest_ttl_s": {"$ref": "#/components/schemas/Seconds"},
          "content_bytes": {"type": "integer"}, "tokens_per_report": {"type": "integer"}}},
        "Device": {"type": "object", "required": ["device", "expires_in_s"], "properties": {
          "device": {"type": "string"}, "expires_in_s": {"$ref": "#/components/schemas/Seconds"}}},
        "Token": {"type": "object", "required": ["token", "expires_in_s", "rotate_in_s"], "properties": {
          "token": {"$ref": "#/components/schemas/TokenDigits"},
          "expires_in_s": {"$ref": "#/components/schemas/Seconds"},
          "rotate_in_s": {"type": "integer", "description": "Renew after so many seconds for the next token."}}},
        "TokenDigits": {"type": "string", "pattern": "^[0-9a-fA-F]{16}$", "description": "8 bytes."},
        "Seconds": {"type": "integer", "minimum": 0},
        "TimeToLive": {"type": "integer", "minimum": 1, "maximum": 86400, "default": 300},
        "Namespace": {"type": "string", "maxLength": 64, "default": ""},
        "Type": {"type": "string", "maxLength": 32, "default": ""},
        "IdempotencyKey": {"type": "string", "maxLength": 64},
        "Renewal": {"type": "object", "properties": {"ttl_s": {"$ref": "#/components/schemas/TimeToLive"}}},
        "PublicationOrder": {"type": "object", "required": ["content"], "properties": {
          "namespace": {"$ref": "#/components/schemas/Namespace"}, "type": {"$ref": "#/components/schemas/Type"},
          "content": {"type": "string", "contentEncoding": "base64", "description": "At most 102,400 bytes."},
          "ttl_s": {"$ref": "#/components/schemas/TimeToLive"},
          "idempotency_key": {"$ref": "#/components/schemas/IdempotencyKey"}}},
        "Publication": {"type": "object", "required": ["id", "namespace", "type", "content_bytes", "expires_in_s"],
          "properties": {
          "id": {"type": "string"}, "namespace": {"$ref": "#/components/schemas/Namespace"},
          "type": {"$ref": "#/components/schemas/Type"}, "content_bytes": {"type": "integer"},
          "expires_in_s": {"$ref": "#/components/schemas/Seconds"},
          "token": {"$ref": "#/components/schemas/Token"}}},
        "PublicationList": {"type": "object", "required": ["publications"], "properties": {
          "publications": {"type": "array", "items": {"$ref": "#/components/schemas/Publication"}}}},
        "SubscriptionOrder": {"type": "object", "properties": {
          "namespace": {"$ref": "#/components/schemas/Namespace"},
          "type": {"$ref": "#/components/schemas/Type", "description": "Empty: all types."},
          "ttl_s": {"$ref": "#/components/schemas/TimeToLive"},
          "idempotency_key": {"$ref": "#/components/schemas/IdempotencyKey"}}},
        "Subscription": {"type": "object", "required": ["id", "namespace", "type", "expires_in_s"], "properties": {
          "id": {"type": "string"}, "namespace": {"$ref": "#/components/schemas/Namespace"},
          "type": {"$ref": "#/components/schemas/Type"},
          "expires_in_s": {"$ref": "#/components/schemas/Seconds"},
          "token": {"$ref": "#/components/schemas/Token"}}},
        "SubscriptionList": {"type": "object", "required": ["subscriptions"], "properties": {
          "subscriptions": {"type": "array", "items": {"$ref": "#/components/schemas/Subscription"}}}},
        "Sightings": {"type": "object", "properties": {
          "heard": {"type": "array", "items": {"oneOf": [{"$ref": "#/components/schemas/TokenDigits"},
            {"$ref": "#/components/schemas/HeardToken"}]}},
          "lost": {"type": "array", "items": {"$ref": "#/components/schemas/TokenDigits"}}}},
        "HeardToken": {"type": "object", "required": ["token"], "description": "Other members, such as medium and rssi_dbm \
        of older clients, are ignored.", "properties": {
          "token": {"$ref": "#/components/schemas/TokenDigits"},
          "age_s": {"type": "number", "minimum": 0, "maximum": 86400, "description": "Since it was last heard. The \
        sighting expires so much earlier."}}},
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
          "content": {"type": "string", "contentEncoding": "base64"}}}
        """
}
