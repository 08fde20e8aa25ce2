import TestSupport
import Testing

/// What talks HTTP, one test after the other.
///
/// While the first request of a connection waits for its answer, Foundation on Linux asks without pause whether that connection can be
/// written to. Tests whose servers say nothing would keep both processors busy for all others, whose limits of time then pass.
@Suite(.apart, .serialized) enum HTTPTests {}
