/// A table as text: the first column is aligned to the left, the others to the right, two spaces apart.
enum TextTable {
    static func lines(_ rows: [[String]]) -> [String] {
        let columnCount = rows.map(\.count).max() ?? 0
        let widths = (0..<columnCount).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            row.enumerated().map { column, text in
                let blanks = String(repeating: " ", count: widths[column] - text.count)
                return column == 0 ? text + blanks : blanks + text
            }.joined(separator: "  ")
        }
    }
}
