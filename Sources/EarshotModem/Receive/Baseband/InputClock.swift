/// Where baseband lies in the input: sample i of it at input sample (i + passed)·F/F'.
///
/// `passed` is the part of long holes that the baseband's indices leave out. In whole numbers, so that no hole is too long
/// for a double's precision.
struct InputClock {
    /// F and F', in hertz.
    let inputRateHertz: Int
    let basebandRateHertz: Int
    private var passedSamples = 0
    private var passedFraction = 0.0
    private var passed = 0

    init(inputRateHertz: Int, basebandRateHertz: Int) {
        self.inputRateHertz = inputRateHertz
        self.basebandRateHertz = basebandRateHertz
    }

    /// Leaves `count` more samples of baseband out.
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
