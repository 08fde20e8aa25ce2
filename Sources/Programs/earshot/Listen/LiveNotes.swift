import EarshotConsole

/// Lines for people on standard error, from any thread, above the meter.
final class LiveNotes: Sendable {
    private let meter: LiveMeter
    private let isQuiet: Bool

    init(meter: LiveMeter, isQuiet: Bool) {
        self.meter = meter
        self.isQuiet = isQuiet
    }

    func print(_ text: String) {
        meter.clear()
        guard !isQuiet else { return }
        StandardStream.error.print(text)
    }

    /// Notes an event of the broadcast beside a listener.
    func broadcast(_ event: BroadcastLoop.Event) {
        switch event {
        case .sent, .waiting: break
        case .failed(let error): print("broadcast: \(error)")
        case .interrupted(let error):
            print("broadcast interrupted: \(error) Broadcasting resumes when the device is back.")
        case .resumed: print("broadcast resumed")
        }
    }
}
