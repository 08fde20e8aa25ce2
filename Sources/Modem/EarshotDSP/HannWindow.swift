import RealModule

/// Hann's window, sampled in the middle of its N intervals.
///
///     w[n] = ½·(1 − cos(2π·(n + ½)/N)),   n = 0 ..< N
///
/// Its mean is ½, the mean of its square `hannNoisePower`. Outside of a tone's main lobe, two bins of 1/N to either
/// side, the highest side lobe is 31 dB down.
/// - Parameter count: N, 1 or more.
/// - Returns: w; shape [count], 0 ... 1.
public func hannWindow(count: Int) -> [Double] {
    (0..<count).map { n in
        let angle = 2 * Double.pi * (Double(n) + 0.5) / Double(count)
        return 0.5 * (1 - Double.cos(angle))
    }
}

/// The share of white noise's power after Hann's window: the mean of w², which is the mean of sin⁴.
public let hannNoisePower: Float = 0.375
