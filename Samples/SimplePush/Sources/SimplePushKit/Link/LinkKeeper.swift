/// The pauses between attempts to connect, in seconds.
public struct ReconnectPauses: Sendable {
    /// After the first failure. Each further one doubles the pause.
    public var first = 0.25
    /// The longest pause. A server that is back is reached within this time.
    public var longest = 3.0
    /// After a failure that the user must solve, such as a wrong secret.
    public var help = 30.0
    private var next = 0.0

    /// The pauses of the format.
    public init() {}

    /// The pause after a failure. A fifth of it is random, so that the clients do not all reconnect together after an
    /// outage of the server.
    public mutating func pause(after failure: LinkFailure) -> Double {
        let pause: Double
        if failure.needsHelp {
            pause = help
        } else {
            pause = next == 0 ? first : next
            next = min(longest, pause * 2)
        }
        return pause * Double.random(in: 0.8...1)
    }

    /// A link was open: the next failure is a first one.
    public mutating func succeed() { next = 0 }
}

/// An event of a link that is kept open.
public enum LinkEvent: Sendable {
    /// There is a link.
    case open(PushLink)
    /// The server sent a frame on it.
    case frame(ServerFrame, PushLink)
    /// There is no link. The next attempt follows after this many seconds.
    case failed(LinkFailure, retrySeconds: Double)
}

/// Keeps a link open until its task is cancelled.
/// - Parameters:
///   - pauses: The pauses between attempts.
///   - open: Opens a link. It throws `LinkFailure`.
///   - handle: Receives all events, one after the other.
public func keepLink(
    pauses: ReconnectPauses = ReconnectPauses(), open: @Sendable () async throws -> PushLink,
    handle: @Sendable (LinkEvent) async -> Void
) async {
    var pauses = pauses
    while !Task.isCancelled {
        do {
            let link = try await open()
            pauses.succeed()
            await handle(.open(link))
            do {
                for try await frame in link.frames { await handle(.frame(frame, link)) }
            } catch {
                link.close()
                throw error
            }
            link.close()
            if Task.isCancelled { return }
            throw LinkFailure.closed
        } catch {
            if Task.isCancelled { return }
            let failure = error as? LinkFailure ?? .closed
            let pause = pauses.pause(after: failure)
            await handle(.failed(failure, retrySeconds: pause))
            try? await Task.sleep(for: .seconds(pause))
        }
    }
}
