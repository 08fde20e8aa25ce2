import EarshotDrawing
import Glibc

/// The spectrogram as vector cells: one path for each level of loudness; neighbours in time are merged.
///
/// A run of cells is a horizontal stroke one row thick, written relative to the previous one: about seven bytes. The
/// lowest level is the background and is not drawn.
struct EnergyCells {
    static let levelCount = 16

    /// The decibels of the levels, from the lowest level's upper edge to the highest's; a full-scale sine is 0 dB.
    let decibels: ClosedRange<Double>
    private let spectrogram: Spectrogram
    private let levels: [UInt8]

    init(_ spectrogram: Spectrogram) {
        let decibels = spectrogram.energies.map { 10 * log10(max($0, 1e-20)) }
        let sorted = decibels.sorted()
        let loudest = Double(sorted.last ?? -200)
        let median = Double(sorted.isEmpty ? -200 : sorted[sorted.count / 2])
        // The limits keep noise dark, hide the rounding errors of a clean recording, and keep noise alone from glowing.
        let floor = max(median + 2, loudest - 42)
        let peak = max(loudest, floor + 14)
        let step = (peak - floor) / Double(Self.levelCount - 1)
        self.decibels = floor...peak
        self.spectrogram = spectrogram
        levels = decibels.map { value in
            peak < -150
                ? 0 : UInt8(min(max(((Double(value) - floor) / step).rounded(.up), 0), Double(Self.levelCount - 1)))
        }
    }

    static func colour(level: Int) -> String {
        ColourMap.hex(Double(level) / Double(levelCount - 1))
    }

    /// Draws the cells. One column is one unit wide and one row one unit high; row 0 is at y = 0, higher rows above it.
    func draw(into svg: inout SVG) {
        for level in 1..<Self.levelCount {
            let data = path(level: UInt8(level))
            if !data.isEmpty {
                svg.element("path", ["stroke": Self.colour(level: level), "d": data])
            }
        }
    }

    private func path(level: UInt8) -> String {
        let (columnCount, rowCount) = (spectrogram.columnCount, spectrogram.rowCount)
        var data = ""
        var (x, y) = (0, 0)
        for row in 0..<rowCount {
            var column = 0
            while column < columnCount {
                guard levels[column * rowCount + row] == level else {
                    column += 1
                    continue
                }
                let first = column
                while column < columnCount, levels[column * rowCount + row] == level { column += 1 }
                let dy = -row - y
                data += "m\(first - x)\(dy < 0 ? "" : " ")\(dy)h\(column - first)"
                (x, y) = (column, -row)
            }
        }
        return data
    }
}
