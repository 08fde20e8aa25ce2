/// The place of the baseband in the input: sample i of it lies at input sample (i + passed)·F/F'.
///
/// `passed` counts the part of long holes that the baseband's indices leave out. It is a whole number, so that no hole exceeds
/// the precision of a double.
struct InputClock {
    /// F and F', in samples a second.
    let inputRateHertz: Int
    let basebandRateHertz: Int
    private var passedSamples = 0
    private var passedFraction = 0.0
    private var passed = 0

    init(inputRateHertz: Int, basebandRateHertz: Int) {
        self.inputRateHertz = inputRateHertz
        self.basebandRateHertz = basebandRateHertz
    }

    /// Leaves out `count` more samples of baseband.
    mutating func pass(_ count: Int) {
        passed += count
        let (seconds, rest) = passed.quotientAndRemainder(dividingBy: basebandRateHertz)
        let (samples, parts) = (rest * inputRateHertz).quotientAndRemainder(dividingBy: basebandRateHertz)
        passedSamples = seconds * inputRateHertz + samples
        passedFraction = Double(parts) / Double(basebandRateHertz)
    }

    /// The input sample nearest to a baseband index.
    func inputSample(_ index: Double) -> Int {
        let samples = index * (Double(inputRateHertz) / Double(basebandRateHertz))
        return passedSamples + Int((samples + passedFraction).rounded())
    }
}
