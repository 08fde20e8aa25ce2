import ArgumentParser
import EarshotBasics

/// The signal-to-noise ratios of `--snr` in decibels: one value, a list, or from:to:step.
struct SNRPoints: ExpressibleByArgument {
    static let range = -60.0...100.0
    private static let maximumCount = 1_000

    let decibels: [Double]
    /// What is wrong with a sweep of the right form.
    private var problem: String?

    init?(argument: String) {
        let fields = argument.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = argument.split(separator: fields.count > 1 ? ":" : ",", omittingEmptySubsequences: false)
            .map { Double($0) }
        guard numbers.allSatisfy({ $0?.isFinite == true }) else { return nil }
        let values = numbers.compactMap { $0 }
        switch fields.count {
        case 1: decibels = values.sorted()
        case 2, 3:
            let (low, high) = (min(values[0], values[1]), max(values[0], values[1]))
            let step = values.count > 2 ? values[2].magnitude : 1
            guard step > 0, (high - low) / step < Double(Self.maximumCount) else {
                decibels = []
                problem =
                    step > 0
                    ? "more than \(Self.maximumCount) points. Give a larger step."
                    : "the step is 0. Give a step such as 0.5."
                return
            }
            // Multiplication instead of repeated addition keeps steps of a tenth round.
            decibels = (0...Int((high - low) / step + 1e-9)).map { low + Double($0) * step }
        default: return nil
        }
    }

    /// - Throws: `ValidationError` that names a ratio out of the range, or what is wrong with a sweep.
    func check() throws(ValidationError) {
        if let problem { throw ValidationError("--snr: \(problem)") }
        guard let wrong = decibels.first(where: { !Self.range.contains($0) }) else { return }
        throw ValidationError(
            "--snr \(DecimalText.short(wrong)): give \(DecimalText.short(Self.range.lowerBound)) to "
                + "\(DecimalText.short(Self.range.upperBound)) dB.")
    }
}
