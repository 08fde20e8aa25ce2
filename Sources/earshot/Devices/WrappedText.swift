import EarshotConsole
import Glibc

/// Text in lines that a terminal does not break by itself.
enum WrappedText {
    /// The width of the terminal that standard output is, at most 120; 80 where it is none.
    static var outputWidth: Int {
        var size = winsize()
        guard ioctl(StandardStream.output.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return min(Int(size.ws_col), 120)
    }

    /// `text` in lines of at most `width` characters, broken at spaces, the first behind `first`, the others behind
    /// `margin`. A word that is longer stays whole, so that it can be copied.
    static func wrap(_ text: String, width: Int, first: String, margin: String) -> String {
        var lines: [String] = []
        var line = first
        var isFresh = true
        for word in text.split(separator: " ") {
            if !isFresh, line.count + 1 + word.count > width {
                lines.append(line)
                (line, isFresh) = (margin, true)
            }
            line += (isFresh ? "" : " ") + word
            isFresh = false
        }
        return (lines + [line]).joined(separator: "\n")
    }
}

extension String {
    /// With spaces behind it, `count` characters long.
    func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - self.count))
    }
}
