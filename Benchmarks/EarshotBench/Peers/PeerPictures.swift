import EarshotDrawing

/// What was measured of all modems, side by side.
enum PeerPictures {
    static func save(_ rows: [PeerRow], _ pictures: Pictures, _ report: inout Report) throws {
        report.add("")
        try pictures.save(
            sensitivity(rows).document(), "peers-sensitivity", alternative: "SNR that each modem needs", &report)
        try pictures.save(
            throughput(rows).document(), "peers-throughput", alternative: "decoding speed of each modem", &report)
    }

    private static func sensitivity(_ rows: [PeerRow]) -> BarChart {
        func group(_ name: String, _ scan: (PeerRow) -> SensitivityScan?) -> BarChart.Group {
            BarChart.Group(
                name: name,
                bars: rows.map { row in
                    bar(row, scan(row)?.snrDecibels.map { .number($0) } ?? .never)
                })
        }
        return BarChart(
            title: "SNR at which 90 % of tokens are decoded",
            subtitle: "8 bytes, equal peaks, the same air for all; further to the left is better",
            footnote:
                "A sine of the signal's peak over the noise in 1,500 Hz. Times on air differ, from 0.26 to 2.22 s.",
            valueName: "SNR in 1,500 Hz, dB", decimals: 1,
            groups: [
                group("white noise") { $0.whiteNoise },
                group("across a large room (RT60 0.3 s, DRR −6 dB)") { $0.rooms["B"] },
            ])
    }

    private static func throughput(_ rows: [PeerRow]) -> BarChart {
        func group(_ name: String, _ run: (PeerCost) -> PeerCost.Run) -> BarChart.Group {
            BarChart.Group(
                name: name,
                bars: rows.map { row in
                    bar(row, row.cost.map { .number(run($0).timesRealTime) } ?? .notMeasured)
                })
        }
        return BarChart(
            title: "Decoding speed, times real time", subtitle: "whole process, one core, 10 minutes of 16-bit WAV",
            footnote: "User and system time. Earshot listens for all profiles and lengths, ggwave for one protocol.",
            valueName: "times real time", isLogarithmic: true,
            groups: [group("noise only") { $0.noise }, group("60 tokens") { $0.tokens }])
    }

    /// What finds room beside a bar.
    private static func shortName(_ name: String) -> String {
        name.filter { $0 != "`" }.replacing(", fixed length", with: ", fixed").replacing(
            " at 18.5 kHz", with: ", 18.5 kHz")
    }

    private static func bar(_ row: PeerRow, _ value: BarChart.Value) -> BarChart.Bar {
        BarChart.Bar(
            name: shortName(row.name), value: value, isHighlighted: row.name.hasPrefix("Earshot"))
    }
}
