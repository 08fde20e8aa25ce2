/// Colours of everything that is not energy.
enum Palette {
    static let background = "#0d1017"
    static let panel = "#151a24"
    static let line = "#2d3544"
    static let text = "#e8edf5"
    static let faint = "#93a0b4"
    static let sync = "#5ee6ff"
    static let header = "#ff9cf0"
    static let data = "#ffffff"

    static func profile(_ name: String) -> String {
        switch name {
        case "fast": "#8ef08a"
        case "far": "#ffb86b"
        default: "#7cc0ff"
        }
    }
}
