import Glibc

/// A descriptor that is closed with its last owner.
package final class OwnedDescriptor: Sendable {
    package let number: CInt

    package init(_ number: CInt) { self.number = number }

    deinit { close(number) }
}
