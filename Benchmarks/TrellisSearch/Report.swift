import Foundation

/// The printed report on one code, as text or JSON.
struct Report: Encodable {
    let memory: Int
    let tones: Int
    /// Least significant tone bit first.
    let generatorsOctal: [String]
    let generatorsHexadecimal: [String]
    let echelonFormOctal: [String]
    let isCatastrophic: Bool
    let freeDistance: Int?
    /// A_d for d = 0...
    let eventCounts: [Int]
    /// N_d of the tail-biting frame for d = 0..., if requested.
    let frameCounts: [Int]?
    let bitEnergyDecibels: Double
    /// Σ_d A_d·P2(d) per step. Multiplied by the steps, it bounds the frame error rate (up to the weights left out).
    let unionBound: Double
    let unionBoundRayleigh: Double

    init(_ code: TrellisCode, maximumWeight: Int, operatingPoint: OperatingPoint, countsFrames: Bool) {
        var counter = EventCounter(memory: code.memory, maximumWeight: maximumWeight)
        let spectrum = counter.spectrum(of: code)
        memory = code.memory
        tones = code.toneCount
        generatorsOctal = code.generators.map { String($0, radix: 8) }
        generatorsHexadecimal = code.generators.map { "0x" + String($0, radix: 16, uppercase: true) }
        echelonFormOctal = code.echelonForm.map { String($0, radix: 8) }
        isCatastrophic = spectrum == nil
        freeDistance = spectrum?.freeDistance
        eventCounts = spectrum?.eventCounts ?? []
        frameCounts =
            countsFrames
            ? frameSpectrum(of: code, steps: operatingPoint.steps, maximumWeight: maximumWeight) : nil
        let gamma = operatingPoint.toneEnergy
        let weights = 0...maximumWeight
        bitEnergyDecibels = operatingPoint.bitEnergyDecibels
        unionBound =
            spectrum?.unionBound(weights.map { PairwiseError.constantAmplitude(distance: $0, toneEnergy: gamma) })
            ?? .infinity
        unionBoundRayleigh =
            spectrum?.unionBound(weights.map { PairwiseError.rayleigh(distance: $0, toneEnergy: gamma) })
            ?? .infinity
    }

    var text: String {
        var lines = [
            "ν = \(memory), M = \(tones), least significant tone bit first",
            "  octal    \(generatorsOctal.joined(separator: " "))",
            "  hex      \(generatorsHexadecimal.joined(separator: " "))",
            "  echelon  \(echelonFormOctal.joined(separator: " "))",
        ]
        guard !isCatastrophic else { return (lines + ["  catastrophic"]).joined(separator: "\n") }
        lines.append("  A_d      " + Self.list(eventCounts))
        if let frameCounts { lines.append("  N_d      " + Self.list(frameCounts)) }
        lines.append(
            String(
                format: "  Σ A_d P2(d) at Eb/N0 = %.2f dB: %.4e; Rayleigh %.4e",
                bitEnergyDecibels, unionBound, unionBoundRayleigh))
        return lines.joined(separator: "\n")
    }

    private static func list(_ counts: [Int]) -> String {
        counts.indices.filter { counts[$0] > 0 }.map { "\($0): \(counts[$0])" }.joined(separator: ", ")
    }

    static func json(_ values: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return String(decoding: try encoder.encode(values), as: UTF8.self)
    }
}
