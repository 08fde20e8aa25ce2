import CEarshotKernels

/// The form of a kernel: the kind of vectors that it uses.
///
/// A stage uses the best form that the processor supports; tests use each of them.
package struct KernelForm: Sendable, Hashable, CustomStringConvertible {
    /// The kernels' number for it.
    package let number: Int32

    /// The best form that this processor supports.
    package static var best: KernelForm { KernelForm(number: earshot_best_form()) }

    /// All forms that this processor supports: plain vectors, AVX2, AVX-512.
    package static var all: [KernelForm] { (0...best.number).map { KernelForm(number: $0) } }

    package var description: String { ["plain", "AVX2", "AVX-512"][Int(number)] }
}
