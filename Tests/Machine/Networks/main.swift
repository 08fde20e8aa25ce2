import EarshotNetworks
import Glibc

// machine-networks prints a line of JSON for each situation, with the time of the machine's clock.

func nowMilliseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
}

func json(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
}

/// A network as text, the SSID in hexadecimal digits.
func description(_ network: Network?) -> String {
    switch network {
    case .wifi(let ssid):
        "wifi " + ssid.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    case .ethernet: "ethernet"
    case .mobile(let mobile): "mobile \(mobile.countryCode) \(mobile.networkCode) \(mobile.trackingAreaCode ?? "-")"
    case nil: "none"
    }
}

for await situation in SystemNetworks().situations() {
    let problem = situation.problem.map { ",\"problem\":\(json($0))" } ?? ""
    // `print` would buffer the line when it writes to a file.
    let line = Array(
        ("{\"milliseconds\":\(nowMilliseconds()),\"primary\":\(json(description(situation.primary))),"
            + "\"source\":\"\(situation.source.rawValue)\"\(problem)}\n").utf8)
    _ = write(STDOUT_FILENO, line, line.count)
}
