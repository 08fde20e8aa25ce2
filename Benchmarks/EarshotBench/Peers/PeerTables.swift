import Foundation

extension Report {
    /// Adds the tables, and texts that explain them.
    mutating func addPeers(_ rows: [PeerRow], _ measurement: PeerMeasurement) {
        add(
            """
            Every modem sends the same random 8-byte tokens through the same air (starts, rooms and noise from the \
            same seeds), each brought to the same peak. \(measurement.trialCount) trials a point, seed \
            \(measurement.seed), 95 % intervals in brackets. *Peak* is the SNR of a sine at the signal's peak, the \
            relevant figure for a loudspeaker; *mean* is that of the signal's own power, so mean = peak − (PAPR − 3.0 dB); \
            both over the noise in 1,500 Hz. Eb/N0 divides the energy of the whole transmission by 64 bits.

            | modem | 99 % of energy, kHz | on air, s | PAPR, dB | SNR at 90 %, peak | SNR at 90 %, mean | Eb/N0 at 90 % |
            |---|---|---|---|---|---|---|
            """)
        for row in rows {
            let waveform = row.waveform
            let ebN0 = row.whiteNoise.snrDecibels.map {
                decimal(waveform.ebN0Decibels(meanSNRDecibels: $0 - waveform.backoffDecibels), 1)
            }
            add(
                "| \(row.name) | \(decimal(waveform.lowestHertz / 1_000, 1))–\(decimal(waveform.highestHertz / 1_000, 1)) "
                    + "| \(decimal(waveform.secondsOnAir, 2)) | \(decimal(waveform.papr, 1)) "
                    + "| \(cell(row.whiteNoise, less: 0)) | \(cell(row.whiteNoise, less: waveform.backoffDecibels)) "
                    + "| \(ebN0 ?? "–") |")
        }
        addRooms(rows)
        addCosts(rows)
        add("\nSettings, the best that were found: \(settings(rows)).")
    }

    private func settings(_ rows: [PeerRow]) -> String {
        var modems: [String: [String]] = [:]
        for row in rows {
            modems[row.setting, default: []].append(row.name)
        }
        return modems.sorted { $0.value[0] < $1.value[0] }.map { "\($0.value.joined(separator: ", ")): \($0.key)" }
            .joined(separator: "; ")
    }

    private mutating func addRooms(_ rows: [PeerRow]) {
        add(
            """

            SNR at 90 % in rooms, peak (mean): A RT60 0.2 s, direct-to-reverberant ratio 0 dB; B 0.3 s, −6 dB; D 0.3 \
            s, 0 dB. *Motion*: the largest change of speed, in both directions, at which 90 % decode, of \
            \(PeerMeasurement.offsets.map(percent).joined(separator: ", ")), 10 dB above the threshold. *Tone*: \
            decoded with a steady tone in the modem's band, 10 dB above its mean power, 10 dB above the threshold. \
            In brackets: reports of tokens that no modem sent, per token sent: with the tone in its column, in all other \
            conditions under *wrong*. *Duplicates*: further reports of a token after the first, per token sent.

            | modem | room A | room B | room D | motion | tone | wrong | sent | duplicates |
            |---|---|---|---|---|---|---|---|---|
            """)
        func toneCell(_ tally: PeerTally) -> String {
            "\(decimal(100 * tally.share, 0)) % (\(decimal(Double(tally.wrong) / Double(max(tally.sent, 1)), 1)))"
        }
        for row in rows {
            let rooms = PeerMeasurement.rooms.map { roomCell(row.rooms[$0.name], row.waveform) }
            let wrong = Double(row.total.wrong) / Double(max(row.total.sent, 1))
            let wrongCell = row.isChecked ? percent(wrong) : "\(decimal(wrong, 1)) junk bytes"
            add(
                "| \(row.name) | \(rooms.joined(separator: " | ")) "
                    + "| \(row.survivedOffset.map { "±" + percent($0) } ?? (row.motion.isEmpty ? "–" : "none")) "
                    + "| \(row.tone.map(toneCell) ?? "–") | \(wrongCell) | \(row.total.sent) "
                    + "| \(decimal(Double(row.total.duplicates) / Double(max(row.total.sent, 1)), 1)) |")
        }
    }

    private mutating func addCosts(_ rows: [PeerRow]) {
        add(
            """

            Decoding 10 minutes of 16-bit WAV, noise only and with 60 tokens at \(decimal(PeerCost.snrDecibels, 0)) \
            dB: whole process, one core, user and system time, times real time. ggwave runs as a C++ program, not in \
            Python.

            | modem | noise | 60 tokens | found | heard in noise | peak memory |
            |---|---|---|---|---|---|
            """)
        for row in rows {
            guard let cost = row.cost else { continue }
            add(
                "| \(row.name) | \(decimal(cost.noise.timesRealTime, 0)) | \(decimal(cost.tokens.timesRealTime, 0)) "
                    + "| \(cost.tokens.tokensFound) | \(cost.noise.other)\(row.isChecked ? "" : " bytes") "
                    + "| \(decimal(max(cost.noise.peakMegabytes, cost.tokens.peakMegabytes), 1)) MB |")
        }
    }

    private func cell(_ scan: SensitivityScan, less backoff: Double) -> String {
        guard let snr = scan.snrDecibels else { return failure(scan) }
        func end(_ value: Double?) -> String { value.map { decimal($0 - backoff, 1) } ?? "?" }
        return "\(decimal(snr - backoff, 1)) (\(end(scan.lowDecibels)) to \(end(scan.highDecibels)))"
    }

    private func roomCell(_ scan: SensitivityScan?, _ waveform: PeerWaveform) -> String {
        guard let scan else { return "–" }
        guard let snr = scan.snrDecibels else { return failure(scan) }
        return "\(decimal(snr, 1)) (\(decimal(snr - waveform.backoffDecibels, 1)))"
    }

    /// The share that decodes with almost no noise.
    private func failure(_ scan: SensitivityScan) -> String {
        guard let last = scan.points.last else { return "fails" }
        return
            "fails: \(decimal(100 * last.tally.share, 0)) % at \(decimal(last.snrDecibels, 0)) dB"
    }

    private func percent(_ share: Double) -> String {
        String(format: "%.2g %%", 100 * share)
    }
}
