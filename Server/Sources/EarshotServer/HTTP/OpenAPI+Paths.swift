extension OpenAPI {
    static let operationPaths = """
        "/healthz": {"get": {
          "summary": "Whether the service and its database answer.", "security": [],
          "responses": {\(answer(200, "Health", "It does.")), \(problem)}
        }},
        "/metrics": {"get": {
          "summary": "Counters and gauges in Prometheus' text format.", "security": [],
          "responses": {"200": {"description": "Text.", "content": {"text/plain": {"schema": {"type": "string"}}}},
            \(problem)}
        }},
        "/v1/openapi.json": {"get": {
          "summary": "This document.", "security": [],
          "responses": {"200": {"description": "OpenAPI 3.1.",
            "content": {"application/json": {"schema": {"type": "object"}}}}, \(problem)}
        }}
        """

    static let sessionPaths = """
        "/v1/devices": {"post": {
          "summary": "Open a session for a device. The one request that shows the API key.",
          "security": [{"key": []}],
          "responses": {\(answer(201, "Session", "Show 'session' as Bearer from now on.")), \(problem)}
        }},
        "/v1/device": {
          "get": {
            "summary": "The device of this session.",
            "responses": {\(answer(200, "Device", "The device.")), \(problem)}
          },
          "delete": {
            "summary": "End the session, and with it at once all that the device published and subscribed.",
            "responses": {"204": {"description": "It is over."}, \(problem)}
          }
        }
        """

    static let publicationPaths = """
        "/v1/publications": {
          "post": {
            "summary": "Publish a message. Once answered, it is on the disk.",
            "description": "With an idempotency_key, sending it again renews the publication instead.",
            \(body("PublicationOrder")),
            "responses": {
              \(answer(201, "Publication", "Published.")), \(answer(200, "Publication", "It was there already.")),
              \(problem)
            }
          },
          "get": {
            "summary": "What this device publishes. Without tokens.",
            "responses": {\(answer(200, "PublicationList", "Oldest first.")), \(problem)}
          }
        },
        "/v1/publications/{id}": {
          \(id),
          "put": {
            "summary": "Renew the lease, and take the next token where the present one is half its life old.",
            \(body("Renewal", required: false)),
            "responses": {\(answer(200, "Publication", "Renewed.")), \(problem)}
          },
          "delete": {
            "summary": "Unpublish: lost at once for whoever had found it.",
            "responses": {"204": {"description": "It is over."}, \(problem)}
          }
        }
        """

    static let subscriptionPaths = """
        "/v1/subscriptions": {
          "post": {
            "summary": "Subscribe to messages of a namespace, and of a type where it is not empty.",
            "description": "With an idempotency_key, sending it again renews the subscription instead.",
            \(body("SubscriptionOrder")),
            "responses": {
              \(answer(201, "Subscription", "Subscribed.")), \(answer(200, "Subscription", "It was there already.")),
              \(problem)
            }
          },
          "get": {
            "summary": "What this device subscribes to. Without tokens.",
            "responses": {\(answer(200, "SubscriptionList", "Oldest first.")), \(problem)}
          }
        },
        "/v1/subscriptions/{id}": {
          \(id),
          "put": {
            "summary": "Renew the lease, and take the next token where the present one is half its life old.",
            \(body("Renewal", required: false)),
            "responses": {\(answer(200, "Subscription", "Renewed.")), \(problem)}
          },
          "delete": {
            "summary": "Unsubscribe. No more events come, 'lost' neither.",
            "responses": {"204": {"description": "It is over."}, \(problem)}
          }
        }
        """

    static let nearbyPaths = """
        "/v1/sightings": {"post": {
          "summary": "Report tokens heard, and tokens no longer heard.",
          "description": "Repeat what is still heard within sighting_lifetime_s, or it counts as lost.",
          \(body("Sightings")),
          "responses": {\(answer(200, "SightingsAnswer", "A status for each, in the order sent.")), \(problem)}
        }},
        "/v1/events": {"get": {
          "summary": "Server-sent events of all subscriptions of this device: ready, found, lost, end.",
          "description": "'ready' comes first. Where it says resumed: false, forget what was found: all that is near \
        follows. 'end' carries a problem: open a new session.",
          "parameters": [{"name": "Last-Event-ID", "in": "header", "schema": {"type": "string"},
            "description": "The last id seen, to go on after it."}],
          "responses": {"200": {"description": "Data of ready: Ready; of found and lost: Change; of end: Problem.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}}}, \(problem)}
        }}
        """
}
