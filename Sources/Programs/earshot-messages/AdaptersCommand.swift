import ArgumentParser
import Dispatch
import EarshotBluetooth
import EarshotConsole
import Synchronization

/// The last part of `earshot devices`, which speaks no D-Bus itself.
struct AdaptersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adapters",
        abstract: "List the Bluetooth adapters, and say which kind of bluetoothd runs.",
        shouldDisplay: false)

    @Flag(help: "Write JSON, one line for each adapter.")
    var json = false

    func run() throws {
        let overview = Mutex<BluetoothOverview?>(nil)
        let over = DispatchSemaphore(value: 0)
        Task {
            let read = await BluetoothOverview.read()
            overview.withLock { $0 = read }
            over.signal()
        }
        over.wait()
        guard let overview = overview.withLock({ $0 }) else { return }
        if json {
            for line in overview.json { StandardStream.output.print(line.text) }
        } else {
            StandardStream.output.print("\n" + overview.text(width: WrappedText.outputWidth))
        }
    }
}

extension BluetoothOverview {
    /// The lines of `--json`; the help of `earshot devices` explains their keys.
    var json: [JSONLine] {
        if let trouble {
            var line = JSONLine()
            line.add("direction", "bluetooth")
            line.add("problem", trouble.problem.name)
            line.add("advice", trouble.detail)
            return [line]
        }
        return adapters.map { adapter in
            var line = JSONLine()
            line.add("name", adapter.name)
            line.add("direction", "bluetooth")
            line.add("powered", adapter.isPowered)
            line.add("bluetoothd", adapter.bluetoothd?.rawValue ?? "noLowEnergy")
            if let advice = adapter.bluetoothd?.advice { line.add("advice", advice) }
            return line
        }
    }

    /// The text for the user. Lines break before `width` characters.
    func text(width: Int) -> String {
        if let trouble {
            let detail = trouble.detail.escapedForTerminal
            return WrappedText.wrap(detail, width: width, first: "Bluetooth: none: ", margin: "  ")
        }
        let margin = String(repeating: " ", count: 10)
        let lines = adapters.flatMap { adapter in
            let mark = "  \(adapter.isPowered ? "on" : "off")".padded(to: margin.count)
            let kind = adapter.bluetoothd?.text ?? "no Low Energy, which Earshot needs"
            let title = "\(adapter.name.escapedForTerminal): \(kind)"
            let advice = adapter.bluetoothd?.advice.map { [(margin, $0)] } ?? []
            return ([(mark, title)] + advice).map { WrappedText.wrap($1, width: width, first: $0, margin: margin) }
        }
        return (["Bluetooth"] + lines).joined(separator: "\n")
    }
}
