/// Energies over time and frequency, ready to draw.
struct Spectrogram {
    /// The time from one column to the next, in seconds.
    let columnSeconds: Double
    /// The frequency from one row to the next, in hertz.
    let rowHertz: Double
    /// The centre frequency of the lowest row, in hertz.
    let lowestRowHertz: Double
    /// The number of rows; the lowest frequency comes first.
    let rowCount: Int
    /// Power relative to a full-scale sine; shape [columnCount][rowCount]. Column c covers the time from
    /// c · columnSeconds on.
    let energies: [Float]

    var columnCount: Int { energies.count / rowCount }
}
