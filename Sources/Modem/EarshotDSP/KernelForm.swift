import CEarshotKernels

/// The form of a kernel: the vectors that it is written with.
///
/// A stage takes the best one that the processor runs; tests take each of them.
package struct KernelForm: Sendable, Hashable, CustomStringConvertible {
    /// The kernels' number for it.
    package let number: Int32

    /// The best form that this processor runs.
    package static var best: KernelForm { KernelForm(number: earshot_best_form()) }

    /// All forms that this processor runs: plain vectors, AVX2, AVX-512.
    package static var all: [KernelForm] { (0...best.number).map { KernelForm(number: $0) } }

    package var description: String { ["plain", "AVX2", "AVX-512"][Int(number)] }
}
