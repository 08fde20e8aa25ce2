import TestSupport
import Testing

/// The tests that use HTTP, one after the other.
///
/// While the first request of a connection waits for its answer, Foundation on Linux asks without pause whether that
/// connection can be written to. If many tests had silent servers at once, they would keep both processors busy, and
/// other tests would exceed their time limits.
@Suite(.apart, .serialized) enum HTTPTests {}
