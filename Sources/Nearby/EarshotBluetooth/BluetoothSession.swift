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
                    if !contents.isEmpty, !isOpen {
                        isOpen = true
                        report(.opened(.broadcast))
                    }
                case .problem(let problem, let detail):
                    isOpen = false
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
        guard let content = TokenAdvertisement.content(token) else {
            let maximum = TokenAdvertisement.maximumByteCount
            tell {
                $0.begin(
                    .bluetoothUnusable(.broadcast),
                    detail: "A token of \(token.bytes.count) bytes does not fit into an advertisement. "
                        + "Use at most \(maximum) bytes, or sound.", in: .length)
            }
            return []
        }
        tell { $0.end(.bluetoothUnusable(.broadcast), in: .length) }
        return [content]
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
