import EarshotDrawing

/// Earshot and the best of the other modems, side by side. The tables have all of them.
enum PeerPictures {
    static func save(_ rows: [PeerRow], _ pictures: Pictures, _ report: inout Report) throws {
        report.add("")
        try pictures.save(
            sensitivity(rows).document(), "peers-sensitivity", alternative: "SNR that each modem needs", &report)
        try pictures.save(
            throughput(rows).document(), "peers-throughput", alternative: "decoding speed of each modem", &report)
    }

    /// Six rows: Earshot's profiles, the best mode of each other program by `first`, and the best of the rest by `second`.
    /// - Parameters:
    ///   - first: higher is better; nil if the mode never worked or was not measured.
    ///   - second: likewise.
    private static func chosen(
        _ rows: [PeerRow], first: (PeerRow) -> Double?, second: (PeerRow) -> Double?
    ) -> [PeerRow] {
        func best(_ rows: [PeerRow], _ value: (PeerRow) -> Double?) -> PeerRow? {
            rows.max { (value($0) ?? -.infinity) < (value($1) ?? -.infinity) }
        }
        let others = rows.filter { !isOurs($0) }
        let programs = Dictionary(grouping: others) { $0.name.prefix { $0 != " " } }
        var names = Set(programs.values.compactMap { best($0, first)?.name })
        if let row = best(others.filter({ !names.contains($0.name) }), second) { names.insert(row.name) }
        return rows.filter { isOurs($0) || names.contains($0.name) }
    }

    private static func sensitivity(_ rows: [PeerRow]) -> BarChart {
        let whiteNoise = { (row: PeerRow) in row.whiteNoise.snrDecibels }
        let room = { (row: PeerRow) in row.rooms["B"]?.snrDecibels }
        let chosen = chosen(rows, first: { whiteNoise($0).map { -$0 } }, second: { room($0).map { -$0 } })
        func group(_ name: String, _ snr: (PeerRow) -> Double?) -> BarChart.Group {
            BarChart.Group(name: name, bars: chosen.map { bar($0, snr($0).map { .number($0) } ?? .never) })
        }
        let times = chosen.map(\.waveform.secondsOnAir)
        return BarChart(
            title: "SNR at which 90 % of tokens are decoded",
            subtitle: "8 bytes, equal peaks, the same air for all; further to the left is better",
            footnote:
                "Chosen of \(rows.count): the best mode of each other program in white noise, and the best of the rest "
                + "in the room. SNR: a sine of the signal's peak over the noise in 1,500 Hz. "
                + "Times on air: \(decimal(times.min() ?? 0, 2)) to \(decimal(times.max() ?? 0, 2)) s.",
            valueName: "SNR in 1,500 Hz, dB", decimals: 1,
            groups: [group("white noise", whiteNoise), group("across a large room (RT60 0.3 s, DRR −6 dB)", room)])
    }

    private static func throughput(_ rows: [PeerRow]) -> BarChart {
        let noise = { (row: PeerRow) in row.cost?.noise.timesRealTime }
        let tokens = { (row: PeerRow) in row.cost?.tokens.timesRealTime }
        let chosen = chosen(rows, first: noise, second: tokens)
        func group(_ name: String, _ speed: (PeerRow) -> Double?) -> BarChart.Group {
            BarChart.Group(name: name, bars: chosen.map { bar($0, speed($0).map { .number($0) } ?? .notMeasured) })
        }
        return BarChart(
            title: "Decoding speed, times real time",
            subtitle: "whole process, one core, 10 minutes of 16-bit WAV; further to the right is better",
            footnote:
                "Chosen of \(rows.count): the fastest mode of each other program on noise, and the fastest of the rest "
                + "on tokens. User and system time. Earshot listens for all profiles and lengths, ggwave for one protocol.",
            valueName: "times real time", isLogarithmic: true,
            groups: [group("noise only", noise), group("60 tokens", tokens)])
    }

    private static func isOurs(_ row: PeerRow) -> Bool { row.name.hasPrefix("Earshot") }

    /// A name short enough for its place beside a bar.
    private static func shortName(_ name: String) -> String {
        name.filter { $0 != "`" }.replacing(", fixed length", with: ", fixed").replacing(
            " at 18.5 kHz", with: ", 18.5 kHz")
    }

    private static func bar(_ row: PeerRow, _ value: BarChart.Value) -> BarChart.Bar {
        BarChart.Bar(
            name: shortName(row.name), value: value, isHighlighted: isOurs(row))
    }
}
