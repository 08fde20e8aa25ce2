import Foundation
import NearbyWire
import Synchronization

/// Reads one connection of the event stream: bytes in, events out.
enum EventReader {
    /// The maximum number of events that wait for the reader. Beyond it the connection ends; the next one resumes from
    /// the last event.
    private static let maximumBacklog = 256

    /// - Parameters:
    ///   - open: opens the connection.
    ///   - silence: a connection that is silent for this long counts as dead.
    ///   - owner: kept alive while the stream is read.
    ///   - translate: returns the event in the form for the device, given the wrapped keys of a found message.
    static func events(
        _ open: @escaping @Sendable () async throws -> HTTPTransport.Stream, silence: Duration,
        keeping owner: any MessageService, translate: @escaping @Sendable (ServiceEvent, [KeyBody]) -> ServiceEvent
    ) -> AsyncThrowingStream<ServiceEvent, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: ServiceEvent.self, bufferingPolicy: .bufferingOldest(maximumBacklog))
        let lastPiece = SignOfLife()
        let reading = Task {
            let failure = await read(open) { event, keys in
                lastPiece.note()
                if case .dropped = continuation.yield(translate(event, keys)) { return false }
                return true
            }
            continuation.finish(throwing: failure)
            withExtendedLifetime(owner) {}
        }
        let watching = Task {
            while !Task.isCancelled {
                let end = lastPiece.at + silence
                if end <= .now {
                    continuation.finish(throwing: ServiceFailure.unreachable("its event stream is silent"))
                    return
                }
                guard (try? await Task.sleep(until: end, clock: .continuous)) != nil else { return }
            }
        }
        continuation.onTermination = { _ in
            reading.cancel()
            watching.cancel()
        }
        return stream
    }

    /// - Parameter report: receives an event; returns false to end.
    /// - Returns: the failure that ended the connection; nil if the service closed it.
    private static func read(
        _ open: () async throws -> HTTPTransport.Stream, report: (ServiceEvent, [KeyBody]) -> Bool
    ) async -> ServiceFailure? {
        var parser = EventStreamParser()
        var refusal: (status: Int, retryAfter: Duration?, body: Data)?
        do {
            for try await piece in try await open() {
                switch piece {
                case .head(200, _): break
                case .head(let status, let retryAfter): refusal = (status, retryAfter, Data())
                case .body(let data):
                    if let body = refusal?.body {
                        guard body.count + data.count <= HTTPMessageService.maximumAnswerCount else {
                            return .invalid("its answer is too large")
                        }
                        refusal?.body.append(data)
                        continue
                    }
                    for item in try parser.take(data) {
                        guard let (event, keys) = try event(item) else { continue }
                        if !report(event, keys) { return nil }
                    }
                }
            }
        } catch is EventStreamParser.TooLarge {
            return .invalid("it sends an event that is too large")
        } catch {
            return error as? ServiceFailure ?? .unreachable("the event stream failed")
        }
        return refusal.map { ServiceAnswer.failure(status: $0.status, retryAfter: $0.retryAfter, body: $0.body) }
    }

    /// The meaning of a server-sent event, and the wrapped keys of a found message; nil if the event is unknown.
    /// - Throws: `ServiceFailure.invalid` if the event's data are not the expected JSON.
    static func event(_ item: EventStreamParser.Item) throws(ServiceFailure) -> (ServiceEvent, [KeyBody])? {
        guard case .event(let name, let text, let id) = item else { return (.quiet, []) }
        let data = Data(text.utf8)
        // Only an id of a valid form is sent back to the service.
        let eventID = id.flatMap { $0.isIdentifier(upTo: 64) ? $0 : nil }
        switch name {
        case "ready": return (.ready(isResumed: try decode(ReadyBody.self, data).resumed), [])
        case "found":
            let change = try decode(ChangeBody.self, data)
            let message = Message(
                content: change.message.content, type: change.message.type, namespace: change.message.namespace)
            let event = ServiceEvent.found(
                subscription: change.subscription, message: message, id: change.message.id, eventID: eventID)
            return (event, change.message.keys ?? [])
        case "lost":
            let change = try decode(ChangeBody.self, data)
            return (.lost(subscription: change.subscription, id: change.message.id, eventID: eventID), [])
        case "end": return (.end(code: (try? decode(ProblemBody.self, data).problem.code) ?? ""), [])
        default: return nil
        }
    }

    private static func decode<Body: Decodable>(_: Body.Type, _ data: Data) throws(ServiceFailure) -> Body {
        do { return try JSONDecoder().decode(Body.self, from: data) } catch {
            throw .invalid("an event is not the expected JSON")
        }
    }
}

/// The time of the latest event.
private final class SignOfLife: Sendable {
    private let latest = Mutex(ContinuousClock.now)

    var at: ContinuousClock.Instant { latest.withLock { $0 } }

    func note() { latest.withLock { $0 = .now } }
}
