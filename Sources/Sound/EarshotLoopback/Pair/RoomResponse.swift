import EarshotDSP
import EarshotModem
import RealModule

/// The echoes of a room in the band of the modem, from a sweep.
///
///     h = F⁻¹{W·R·X*/(|X|² + 10⁻³·max|X|²)},   e[n] = |h[n]|² − mean of |h|² before the direct sound
///
/// R and X are the spectra of what was received and sent, and W is 1 within the band and falls to 0 within 500 Hz on either side: h
/// resolves 0.5 ms. RT60 follows from Schroeder's curve, Σ e from n on, between 5 and 25 dB below its beginning, or 3 and 13 dB
/// where noise hides the rest. Sweeps of one second and a half lift h 35 dB out of the noise.
package struct RoomResponse: Sendable, Equatable {
    /// The width of a step of `decayDecibels`, in seconds.
    package static let stepSeconds = 0.005
    /// The length of the direct sound, in seconds after its beginning.
    package static let directSeconds = 0.0025

    /// The time in which the echo falls by 60 dB, in seconds; nil without an echo above the noise.
    package let reverberationSeconds: Double?
    /// The energy of the direct sound over that of all echoes, in decibels; nil without an echo.
    package let directToReverberantDecibels: Double?
    /// The energy of each 5 ms from the beginning of the direct sound on, over that of the first, in decibels; shape
    /// [90]. Values below the noise are the noise.
    package let decayDecibels: [Double]

    private static let leadSeconds = 0.05
    private static let tailSeconds = 0.45
    private static let edgeHertz = 500.0
    /// The direct sound may begin this long before the place that the detector reports.
    private static let marginSeconds = 0.001
    /// The minimum of an echo's energy over the direct sound's: less comes from the filter itself.
    private static let minimumEchoShare = 1e-3

    /// - Parameters:
    ///   - recording: full scale 1, at the sweep's rate.
    ///   - arrival: the sweep that `SweepDetector` found in it.
    init(_ recording: [Float], sweep: Sweep, arrival: SweepArrival) {
        let rate = Double(sweep.sampleRateHertz)
        let energies = Self.energies(recording, sweep: sweep, arrival: arrival)
        let direct = Int(Self.leadSeconds * rate)
        let floor = Self.mean(energies[..<(direct - Int(0.005 * rate))])
        let net = energies.map { $0 - floor }
        let step = Int(Self.stepSeconds * rate)
        let steps = stride(from: direct, to: energies.count - step + 1, by: step).map { first in
            energies[first..<first + step].reduce(0, +)
        }
        decayDecibels = steps.map { 10 * .log10(max($0, .leastNormalMagnitude) / max(steps[0], .leastNormalMagnitude)) }

        let echo = direct + Int(Self.directSeconds * rate)
        let end = Self.end(energies, from: echo, floor: floor, count: 2 * step)
        let directEnergy = net[direct - Int(Self.marginSeconds * rate)..<echo].reduce(0, +)
        let echoEnergy = net[echo..<end].reduce(0, +)
        guard directEnergy > 0, echoEnergy > Self.minimumEchoShare * directEnergy else {
            (reverberationSeconds, directToReverberantDecibels) = (nil, nil)
            return
        }
        directToReverberantDecibels = 10 * .log10(directEnergy / echoEnergy)
        let reserve =
            10 * Double.log10(max(Self.mean(energies[echo..<min(echo + 2 * step, end)]), 1e-30) / max(floor, 1e-30))
        let range: ClosedRange<Double>? = reserve >= 35 ? -25 ... -5 : reserve >= 20 ? -13 ... -3 : nil
        reverberationSeconds = range.flatMap { Self.reverberation(net[echo..<end], range: $0, sampleRateHertz: rate) }
    }

    /// |h|², from 50 ms before the direct sound to 0.45 s after it.
    private static func energies(_ recording: [Float], sweep: Sweep, arrival: SweepArrival) -> [Double] {
        let rate = Double(sweep.sampleRateHertz)
        let lead = Int(leadSeconds * rate)
        let count = lead + Int(tailSeconds * rate)
        let start = Int(max(arrival.firstSample, -1e9).rounded()) - lead
        var length = 2
        while length < sweep.samples.count + count { length *= 2 }
        var plan = FFTPlan(length: length)
        let sent = plan.spectrum { ComplexSample($0 < sweep.samples.count ? sweep.samples[$0] : 0, 0) }
        let received = plan.spectrum { n in
            let place = start + n
            let isPart = n < sweep.samples.count + count && recording.indices.contains(place)
            return ComplexSample(isPart ? recording[place].usable : 0, 0)
        }
        let strongest = sent.reduce(0) { max($0, $1.power) }
        let band = Profile.standard
        let impulse = plan.samples { k in
            let hertz = Double(k) * rate / Double(length)
            let outside = max(band.lowestHertz - hertz, hertz - band.highestHertz, 0)
            guard k <= length / 2, outside < edgeHertz else { return ComplexSample() }
            let weight = 0.5 * (1 + .cos(.pi * outside / edgeHertz))
            let ratio = received[k].times(sent[k].conjugate) / (sent[k].power + 1e-3 * strongest)
            return Float(weight) * ratio
        }
        let scale = 1 / Double(length)
        return impulse[..<count].map { scale * scale * Double($0.power) }
    }

    private static func mean(_ values: ArraySlice<Double>) -> Double {
        values.reduce(0, +) / Double(max(values.count, 1))
    }

    /// The end of the echo: the first stretch of `count` samples with less than twice the noise's energy.
    private static func end(_ energies: [Double], from first: Int, floor: Double, count: Int) -> Int {
        var place = first
        while place + count <= energies.count, mean(energies[place..<place + count]) >= 2 * floor { place += count }
        return min(max(place, first + 1), energies.count)
    }

    /// −60 dB over the slope of Schroeder's curve in decibels a second, by least squares within a range below its
    /// beginning; nil if too little of the curve is in the range.
    private static func reverberation(
        _ net: ArraySlice<Double>, range: ClosedRange<Double>, sampleRateHertz: Double
    ) -> Double? {
        var sum = 0.0
        var curve = [Double](repeating: 0, count: net.count)
        for (index, value) in net.enumerated().reversed() {
            sum += value
            curve[index] = sum
        }
        let points = curve.enumerated().compactMap { index, energy -> (x: Double, y: Double)? in
            guard energy > 0 else { return nil }
            let decibels = 10 * Double.log10(energy / curve[0])
            return range.contains(decibels) ? (Double(index) / sampleRateHertz, decibels) : nil
        }
        // 2 ms: a shorter fall is not that of a room.
        guard Double(points.count) >= 0.002 * sampleRateHertz else { return nil }
        let count = Double(points.count)
        let meanX = points.reduce(0) { $0 + $1.x } / count
        let meanY = points.reduce(0) { $0 + $1.y } / count
        let slope =
            points.reduce(0) { $0 + ($1.x - meanX) * ($1.y - meanY) }
            / points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
        return slope < 0 ? -60 / slope : nil
    }
}
