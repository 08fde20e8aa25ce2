package import ArgumentParser
import EarshotAudio

/// The completions for an option that names a sound device: the names that `earshot devices` prints.
package enum DeviceCompletion {
    package static let capture = completion(.capture)
    package static let playback = completion(.playback)

    /// Seconds that a shell waits at most.
    private static let patienceSeconds = 1.0

    private static func completion(_ direction: DeviceDirection) -> CompletionKind {
        .custom { _, _, _ in
            let list = try? DeviceList.read(patienceSeconds: patienceSeconds)
            return (list?.devices ?? []).filter { $0.isUsual && $0.directions.contains(direction) }.map(\.name)
        }
    }
}
