import Glibc

/// Breaks text into lines that fit the terminal.
package enum WrappedText {
    /// The width of the terminal at standard output, at most 120; 80 if standard output is no terminal.
    package static var outputWidth: Int {
        var size = winsize()
        guard ioctl(StandardStream.output.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return min(Int(size.ws_col), 120)
    }

    /// Breaks `text` at spaces into lines of at most `width` characters; the first begins with `first`, the others with
    /// `margin`. A longer word stays whole, so that the user can copy it.
    package static func wrap(_ text: String, width: Int, first: String, margin: String) -> String {
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
    /// The text padded with spaces to `count` characters.
    package func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - self.count))
    }
}
