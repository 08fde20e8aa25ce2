/// Energies over time and frequency, ready to be drawn.
struct Spectrogram {
    /// Time from one column to the next.
    let columnSeconds: Double
    /// Frequency from one row to the next.
    let rowHertz: Double
    /// The frequency in the middle of the lowest row.
    let lowestRowHertz: Double
    /// Rows, lowest frequency first.
    let rowCount: Int
    /// Power relative to a full-scale sine; shape [columnCount][rowCount]. Column c stands for the time from
    /// c · columnSeconds on.
    let energies: [Float]

    var columnCount: Int { energies.count / rowCount }
}
