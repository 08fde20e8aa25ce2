import EarshotDSP

/// Mixes a symbol by a fraction of a spacing, and transforms it: the tones of a symbol at an offset.
struct MotionTransform: ~Copyable {
    private var mixer: ToneCorrelator
    private var plan: FFTPlan

    /// For symbols of `length` samples.
    init(length: Int) {
        mixer = ToneCorrelator(length: length)
        plan = FFTPlan(length: length, hasInverse: false)
    }

    mutating func tune(cyclesPerSample: Float) { mixer.tune(cyclesPerSample: cyclesPerSample) }

    /// The energy of the tone to which it is tuned.
    func energy(_ samples: Span<ComplexSample>) -> Float { mixer.energy(samples) }

    /// Writes the energies of some bins, of N times the scale of `energy`, after mixing.
    mutating func transform(_ samples: Span<ComplexSample>, bins: Range<Int>, into powers: inout [Float]) {
        plan.withMutableSamples { mixer.mix(samples, into: &$0) }
        plan.forward()
        plan.copyPowers(ofBins: bins, into: &powers)
    }
}
