/// The place of the baseband in the input: baseband sample i is at input sample (i + passed)·F/F'.
///
/// `passed` counts the part of long holes that the baseband's indices leave out. It is a whole number, so that no hole exceeds
/// the precision of a double.
struct InputClock {
    /// F and F', in samples a second.
    let inputRateHertz: Int
    let basebandRateHertz: Int
    private var passedSamples: SampleIndex = 0
    private var passedFraction = 0.0
    private var passed: SampleIndex = 0

    init(inputRateHertz: Int, basebandRateHertz: Int) {
        self.inputRateHertz = inputRateHertz
        self.basebandRateHertz = basebandRateHertz
    }

    /// Leaves out `count` more samples of baseband.
    mutating func pass(_ count: SampleIndex) {
        passed += count
        // Far below 2⁶³, and unchecked: a check needs a product of 128 bits, which WebAssembly lacks.
        let (inputRate, basebandRate) = (SampleIndex(inputRateHertz), SampleIndex(basebandRateHertz))
        let (seconds, rest) = passed.quotientAndRemainder(dividingBy: basebandRate)
        let (samples, parts) = (rest &* inputRate).quotientAndRemainder(dividingBy: basebandRate)
        passedSamples = seconds &* inputRate + samples
        passedFraction = Double(parts) / Double(basebandRate)
    }

    /// The input sample nearest to a baseband index.
    func inputSample(_ index: Double) -> SampleIndex {
        let samples = index * (Double(inputRateHertz) / Double(basebandRateHertz))
        return passedSamples + SampleIndex((samples + passedFraction).rounded())
    }
}
