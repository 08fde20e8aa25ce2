/// The colours of everything except the energies of a spectrogram.
package enum Palette {
    package static let background = "#0d1017"
    package static let panel = "#151a24"
    package static let line = "#2d3544"
    package static let text = "#e8edf5"
    package static let faint = "#93a0b4"
    package static let sync = "#5ee6ff"
    package static let header = "#ff9cf0"
    package static let data = "#ffffff"
    /// A bar that is not highlighted.
    package static let bar = "#4f6488"
    /// The result of a measurement that never succeeded.
    package static let missing = "#ff8f8f"

    /// The colour of a profile on every picture, by the profile's name: `#rrggbb`.
    package static func profile(_ name: String) -> String {
        switch name {
        case "fast": "#8ef08a"
        case "far": "#ffb86b"
        default: "#7cc0ff"
        }
    }
}
