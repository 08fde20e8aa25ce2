import EarshotCoding
import EarshotDiscovery
import Synchronization

/// One run of a `BluetoothMedium`: a scan, an advertisement, or both.
final class BluetoothSession: Sendable {
    private let adapter: BluetoothAdapter
    private let options: BluetoothMedium.Options
    private let mode: DiscoveryMode
    private let report: @Sendable (MediumEvent) -> Void
    private let problems = Mutex(SharedProblems())
    private let length = Mutex(Length())

    /// Whether the token fits into an advertisement.
    private struct Length: Sendable {
        var tokenByteCount = 0
        /// Without an adapter that advertises, no token is too long for it.
        var hasAdapter = false

        var isProblem: Bool { hasAdapter && tokenByteCount > TokenAdvertisement.maximumByteCount }
    }

    init(
        _ adapter: BluetoothAdapter, _ options: BluetoothMedium.Options, _ mode: DiscoveryMode,
        _ report: @escaping @Sendable (MediumEvent) -> Void
    ) {
        self.adapter = adapter
        self.options = options
        self.mode = mode
        self.report = report
    }

    /// Runs until the task is cancelled, and waits until the adapter is released.
    func run(_ tokens: AsyncStream<Payload>) async {
        await withTaskGroup(of: Void.self) { group in
            if mode.contains(.scan) { group.addTask { await self.scan() } }
            if mode.contains(.broadcast) { group.addTask { await self.advertise(tokens) } }
        }
    }

    private func scan() async {
        for await event in adapter.events([.serviceData(TokenAdvertisement.service)], power: options.power) {
            switch event {
            case .advertisement(let received):
                guard let token = TokenAdvertisement.token(received.content) else { break }
                report(
                    .sighting(
                        Sighting(
                            token: token, rssiDecibelMilliwatts: received.rssiDecibelMilliwatts,
                            patience: received.patience)))
            case .problem(let problem, let detail): tell { $0.begin(problem, detail: detail, in: .scan) }
            case .solved(let problem): tell { $0.end(problem, in: .scan) }
            case .opened: report(.opened(.scan))
            }
        }
        await adapter.waitUntilClosed()
    }

    private func advertise(_ tokens: AsyncStream<Payload>) async {
        let (contents, content) = AsyncStream.makeStream(of: [Advertisement].self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var change = TokenChange()
                var generator = SystemRandomNumberGenerator()
                for await token in tokens {
                    if let silence = change.next(token, using: &generator) {
                        try? await Task.sleep(for: silence.end)
                        content.yield([])
                        try? await Task.sleep(for: silence.begin - silence.end)
                    }
                    content.yield(self.contents(token))
                }
                content.finish()
            }
            var isOpen = false
            for await event in adapter.advertise(contents) {
                switch event {
                case .advertising(let contents):
                    judge { $0.hasAdapter = true }
                    if !contents.isEmpty, !isOpen {
                        isOpen = true
                        report(.opened(.broadcast))
                    }
                case .problem(let problem, let detail):
                    isOpen = false
                    judge { $0.hasAdapter = false }
                    tell { $0.begin(problem, detail: detail, in: .broadcast) }
                case .solved(let problem): tell { $0.end(problem, in: .broadcast) }
                }
            }
            group.cancelAll()
        }
        await adapter.waitUntilClosed()
    }

    /// The advertisements of a token. A token that is too long is a problem until another comes.
    private func contents(_ token: Payload) -> [Advertisement] {
        judge { $0.tokenByteCount = token.count }
        return TokenAdvertisement.content(token).map { [$0] } ?? []
    }

    /// Changes what is known of the length, and reports the problem if it begins or ends.
    private func judge(_ change: (inout Length) -> Void) {
        length.withLock { length in
            change(&length)
            let (isProblem, byteCount) = (length.isProblem, length.tokenByteCount)
            tell {
                guard isProblem else { return $0.end(.bluetoothUnusable(.broadcast), in: .length) }
                return $0.begin(
                    .bluetoothUnusable(.broadcast),
                    detail: "A token of \(byteCount) bytes does not fit into an advertisement. "
                        + "Use at most \(TokenAdvertisement.maximumByteCount) bytes, or sound.", in: .length)
            }
        }
    }

    private func tell(_ change: @Sendable (inout SharedProblems) -> MediumEvent?) {
        problems.withLock { problems in
            guard let event = change(&problems), !isNoProblem(event) else { return }
            report(event)
        }
    }

    /// Whether an event only reports missing Bluetooth, on a machine that need not have it.
    private func isNoProblem(_ event: MediumEvent) -> Bool {
        switch event {
        case .problem(.noBluetoothService, _), .problem(.noBluetoothAdapter, _), .solved(.noBluetoothService),
            .solved(.noBluetoothAdapter):
            options.isOptional
        default: false
        }
    }
}

/// The problems of the parts of a session. A problem of several parts begins with the first and ends with the last.
struct SharedProblems: Sendable {
    /// A part that can have problems.
    enum Part: Sendable { case scan, broadcast, length }

    private var parts: [DiscoveryProblem: Set<Part>] = [:]

    /// - Returns: the event, if no part had the problem yet.
    mutating func begin(_ problem: DiscoveryProblem, detail: String, in part: Part) -> MediumEvent? {
        let isNew = parts[problem, default: []].isEmpty
        parts[problem, default: []].insert(part)
        return isNew ? .problem(problem, detail: detail) : nil
    }

    /// - Returns: the event, if no part has the problem any longer.
    mutating func end(_ problem: DiscoveryProblem, in part: Part) -> MediumEvent? {
        guard parts[problem]?.remove(part) != nil, parts[problem]?.isEmpty == true else { return nil }
        parts[problem] = nil
        return .solved(problem)
    }
}
