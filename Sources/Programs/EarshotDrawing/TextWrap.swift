/// Line breaking of texts.
package enum TextWrap {
    /// The words of a text in lines of at most `width` characters; a longer word gets a line of its own.
    package static func lines(_ text: String, width: Int) -> [String] {
        text.split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
    }
}
