import HTTPTypes
import Hummingbird
import NIOCore

/// The changes near a device, as server-sent events.
///
///     event: ready                        event: found
///     data: {"resumed":false}             id: 17
///                                         data: {"message":{…},"subscription":"…"}
///
/// `id` counts the changes of the device. A client that returns with `Last-Event-ID` gets the changes after it; other
/// clients get all messages that are near now. A message that changed several times in between is sent once, in its
/// current state.
struct EventStream: Sendable {
    static let path = "/v1/events"

    let service: TokenService
    let session: Session
    let channel: any Channel

    func response(to request: Request) async throws -> Response {
        let lastEventID = request.headers[.lastEventID].flatMap(Int64.init)
        let position = try await service.store.position(of: session, after: lastEventID, now: service.now)
        guard let position else { throw Problem.badSession }
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream", .cacheControl: "no-store",
                // Without this, nginx holds events back until its buffer is full.
                .accelBuffering: "no",
            ],
            body: ResponseBody { _ in
                // The head is written. The stream writes the rest, including the end.
                let stream = OpenStream(service, session, at: position, lastEventID, on: channel)
                stream.begin()
                guard let opened = OpenedStream.current else { return try await stream.waitForEnd() }
                opened.open(stream)
            })
    }
}

extension HTTPField.Name {
    static let lastEventID = known("Last-Event-ID")
    static let accelBuffering = known("X-Accel-Buffering")
}
