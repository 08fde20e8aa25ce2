/// Colours of everything that is not energy.
package enum Palette {
    package static let background = "#0d1017"
    package static let panel = "#151a24"
    package static let line = "#2d3544"
    package static let text = "#e8edf5"
    package static let faint = "#93a0b4"
    package static let sync = "#5ee6ff"
    package static let header = "#ff9cf0"
    package static let data = "#ffffff"
    /// A bar among others.
    package static let bar = "#4f6488"
    /// What never worked.
    package static let missing = "#ff8f8f"

    /// A profile's colour on every picture, by its name.
    package static func profile(_ name: String) -> String {
        switch name {
        case "fast": "#8ef08a"
        case "far": "#ffb86b"
        default: "#7cc0ff"
        }
    }
}
