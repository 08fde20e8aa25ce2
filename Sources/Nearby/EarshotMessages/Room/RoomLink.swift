import EarshotCoding
import EarshotDiscovery
import Synchronization

/// The media of the room, created when an operation first needs one.
final class RoomLink: Sendable {
    private struct State {
        var rooms: [DiscoveryMediumKind: RoomMedium]?
        var parts: [DiscoveryMediumKind: RoomPlan.Part] = [:]
    }

    private let make: @Sendable () -> [any DiscoveryMedium]
    private let pace: MessageManager.Pace
    private let tell: @Sendable (DiscoveryMediumKind, DiscoveryEvent) -> Void
    private let state = Mutex(State())

    init(
        _ pace: MessageManager.Pace, media make: @escaping @Sendable () -> [any DiscoveryMedium],
        tell: @escaping @Sendable (DiscoveryMediumKind, DiscoveryEvent) -> Void
    ) {
        self.make = make
        self.pace = pace
        self.tell = tell
    }

    /// Creates the media at the first call.
    /// - Returns: their kinds.
    func open() -> Set<DiscoveryMediumKind> {
        if let rooms = state.withLock(\.rooms) { return Set(rooms.keys) }
        var rooms: [DiscoveryMediumKind: RoomMedium] = [:]
        for medium in make() where rooms[medium.kind] == nil {
            let (tell, kind) = (tell, medium.kind)
            rooms[kind] = RoomMedium(medium, turn: pace.tokenTurn) { tell(kind, $0) }
        }
        state.withLock { $0.rooms = rooms }
        return Set(rooms.keys)
    }

    /// Gives each medium its part of the needs of all operations, if the part changed.
    /// - Parameter wishes: oldest first.
    func set(_ wishes: [RoomPlan.Wish]) {
        state.withLock { state in
            guard let rooms = state.rooms else { return }
            let plan = RoomPlan(wishes, on: Set(rooms.keys))
            for (kind, room) in rooms where state.parts[kind, default: RoomPlan.Part()] != plan[kind] {
                state.parts[kind] = plan[kind]
                room.set(plan[kind])
            }
        }
    }

    /// The time since a near token was last heard, on any medium; nil if unknown.
    func age(of payload: Payload) -> Duration? {
        (state.withLock(\.rooms) ?? [:]).values.compactMap { $0.lastHeard(payload) }.max()
            .map { max($0.duration(to: .now), .zero) }
    }

    /// Ends all media, and waits until everything is closed.
    func close() async {
        await withDiscardingTaskGroup { group in
            for room in (state.withLock(\.rooms) ?? [:]).values { group.addTask { await room.close() } }
        }
    }
}
