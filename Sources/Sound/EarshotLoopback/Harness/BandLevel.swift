import EarshotDSP
import EarshotModem
import RealModule

/// The level of the band during the last seconds.
///
/// P[n] = the mean of |z|² over 10 ms of baseband z; a sine of amplitude A in the band has P = A².
struct BandLevel: ~Copyable {
    private static let basebandRateHertz = 3_000
    private static let samplesPerSlot = 30
    /// Seconds of memory: longer than the longest frame and the delay of its decoding.
    private static let slotCount = 1_600

    private let inputSamplesPerSlot: Double
    private var downconverter: Downconverter
    private var converted: [ComplexSample]
    private var slots = [Float](repeating: 0, count: slotCount)
    private var sum: Float = 0
    private var basebandCount = 0

    init(sampleRateHertz: Int) {
        let band = Profile.standard
        inputSamplesPerSlot =
            Double(sampleRateHertz) * Double(Self.samplesPerSlot) / Double(Self.basebandRateHertz)
        downconverter = Downconverter(
            Downconverter.Design(
                inputRateHertz: sampleRateHertz, outputRateHertz: Self.basebandRateHertz,
                centreHertz: Int(band.centreHertz), passbandHertz: band.bandwidthHertz / 2))
        converted = [ComplexSample](repeating: ComplexSample(), count: downconverter.maximumOutputCount)
    }

    /// Takes the next samples.
    mutating func push(_ samples: Span<Float>) {
        var first = 0
        while first < samples.count {
            let count = min(Downconverter.maximumInputCount, samples.count - first)
            let produced = downconverter.process(samples.extracting(first..<first + count), into: &converted)
            for index in 0..<produced { add(converted[index]) }
            first += count
        }
    }

    /// The mean level over the middle four fifths of a stretch of input, as the peak of a sine of the same power, in dBFS.
    /// - Returns: nil if the stretch is too long ago, or not complete yet.
    func decibels(over samples: Range<Int>) -> Double? {
        let tenth = Double(samples.count) / 10
        let first = Int(((Double(samples.lowerBound) + tenth) / inputSamplesPerSlot).rounded(.up))
        let end = Int((Double(samples.upperBound) - tenth) / inputSamplesPerSlot)
        let complete = basebandCount / Self.samplesPerSlot
        guard first >= max(0, complete - Self.slotCount + 1), first < end, end <= complete else { return nil }
        let power = (first..<end).reduce(0.0) { $0 + Double(slots[$1 % Self.slotCount]) } / Double(end - first)
        return 10 * .log10(max(power, 1e-20))
    }

    private mutating func add(_ sample: ComplexSample) {
        sum += sample.x * sample.x + sample.y * sample.y
        basebandCount += 1
        if basebandCount.isMultiple(of: Self.samplesPerSlot) {
            slots[(basebandCount / Self.samplesPerSlot - 1) % Self.slotCount] = sum / Float(Self.samplesPerSlot)
            sum = 0
        }
    }
}
