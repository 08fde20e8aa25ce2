extension OpenAPI {
    static let operationPaths = """
        "/healthz": {"get": {
          "summary": "Whether the service works: whether a write reaches the disk.", "security": [],
          "description": "If none does, or if the disk has too little room, the answer is 503 with the code store_fails.",
          "responses": {\(answer(200, "Health", "A write reached the disk within the last second.")), \(problem)}
        }},
        "/v1/openapi.json": {"get": {
          "summary": "This document.", "security": [],
          "responses": {"200": {"description": "OpenAPI 3.1.",
            "content": {"application/json": {"schema": {"type": "object"}}}}, \(problem)}
        }}
        """

    static let sessionPaths = """
        "/v1/devices": {"post": {
          "summary": "Open a session for a device. No other request uses the API key.",
          "description": "The session lasts 7 days from the last operation that it creates or renews; that of a browser key \
        an hour.",
          "security": [{"key": []}],
          \(body("SessionOrder", required: false)),
          "responses": {\(answer(201, "Session", "Send 'session' as Bearer token from now on.")), \(problem)}
        }},
        "/v1/device": {
          "get": {
            "summary": "The device of this session.",
            "responses": {\(answer(200, "Device", "The device.")), \(problem)}
          },
          "delete": {
            "summary": "End the session and, immediately, all its publications and subscriptions.",
            "responses": {"204": {"description": "The session has ended."}, \(problem)}
          }
        }
        """

    static let publicationPaths = """
        "/v1/publications": {
          "post": {
            "summary": "Publish a message. The answer confirms that it is on the disk.",
            "description": "With an idempotency_key, sending it again renews the publication instead.",
            \(body("PublicationOrder")),
            "responses": {
              \(answer(201, "Publication", "Published.")), \(answer(200, "Publication", "It existed already.")),
              \(problem)
            }
          },
          "get": {
            "summary": "List the publications of this device, without tokens.",
            "responses": {\(answer(200, "PublicationList", "Oldest first.")), \(problem)}
          }
        },
        "/v1/publications/{id}": {
          \(id),
          "put": {
            "summary": "Renew the lease, and get the next token once the current one is half its life old.",
            \(body("Renewal", required: false)),
            "responses": {\(answer(200, "Publication", "Renewed.")), \(problem)}
          },
          "delete": {
            "summary": "Unpublish: subscribers that found the message get 'lost' immediately.",
            "responses": {"204": {"description": "The publication has ended."}, \(problem)}
          }
        }
        """

    static let subscriptionPaths = """
        "/v1/subscriptions": {
          "post": {
            "summary": "Subscribe to messages of a namespace, and of one type if it is not empty.",
            "description": "With an idempotency_key, sending it again renews the subscription instead.",
            \(body("SubscriptionOrder", required: false)),
            "responses": {
              \(answer(201, "Subscription", "Subscribed.")), \(answer(200, "Subscription", "It existed already.")),
              \(problem)
            }
          },
          "get": {
            "summary": "List the subscriptions of this device, without tokens.",
            "responses": {\(answer(200, "SubscriptionList", "Oldest first.")), \(problem)}
          }
        },
        "/v1/subscriptions/{id}": {
          \(id),
          "put": {
            "summary": "Renew the lease, and get the next token once the current one is half its life old.",
            \(body("Renewal", required: false)),
            "responses": {\(answer(200, "Subscription", "Renewed.")), \(problem)}
          },
          "delete": {
            "summary": "Unsubscribe. No more events follow, not even 'lost'.",
            "responses": {"204": {"description": "The subscription has ended."}, \(problem)}
          }
        }
        """

    static let nearbyPaths = """
        "/v1/sightings": {"post": {
          "summary": "Report tokens that the device hears, and tokens that it no longer hears.",
          "description": "A heard token is its digits, or an object that also says when it was heard. Repeat a token that is still \
        heard within sighting_lifetime_s; otherwise it counts as lost. A device that hears something must report within silence_s, if only with an empty body; otherwise all of it is lost.",
          \(body("Sightings", required: false)),
          "responses": {\(answer(200, "SightingsAnswer", "A status for each, in the order sent.")), \(problem)}
        }},
        "/v1/events": {"get": {
          "summary": "Server-sent events of all subscriptions of this device: ready, found, lost, end.",
          "description": "'ready' comes first. If its resumed is false, forget all messages found before: those near \
        now follow. 'end' carries a problem: open a new session.",
          "parameters": [{"name": "Last-Event-ID", "in": "header", "schema": {"type": "string"},
            "description": "The id of the last event received; the stream resumes after it."}],
          "responses": {"200": {"description": "Data of ready: Ready; of found and lost: Change; of end: Problem.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}}}, \(problem)}
        }}
        """
}
