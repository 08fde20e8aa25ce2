/// The name that a user most likely meant.
public enum NearestName {
    /// The name with the fewest typing mistakes compared with `word`, the first of equals; nil if none is similar.
    ///
    /// A mistake is a missing, added or changed letter, or two letters in the wrong order. One mistake in every three
    /// letters is allowed, and at least one.
    public static func of(_ word: String, among names: [String]) -> String? {
        let letters = Array(word.lowercased())
        // The work grows with the product of the lengths, and no name is longer than 40 letters.
        guard letters.count <= 40 else { return nil }
        let near = names.map { ($0, mistakeCount(letters, Array($0))) }.min { $0.1 < $1.1 }
        guard let (name, count) = near, count < name.count, count <= max(1, name.count / 3) else { return nil }
        return name
    }

    /// The number of mistakes that turn `a` into `b` (optimal string alignment).
    private static func mistakeCount(_ a: [Character], _ b: [Character]) -> Int {
        var rows = [Array(0...b.count)]
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var count = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { count = min(count, rows[i - 1][j - 1] + 1) }
                row.append(count)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
