import Hummingbird

/// Makes the answer to each request in its own task.
///
/// A task keeps the memory of its deepest call until it ends, and a connection's task ends with the connection. Without
/// this an event stream would keep the stack frames of earlier requests on its connection: middleware, router and
/// store.
struct TaskPerRequest<Inner: HTTPResponder>: HTTPResponder where Inner.Context == ServiceContext {
    let inner: Inner

    init(_ inner: Inner) { self.inner = inner }

    func respond(to request: Request, context: ServiceContext) async throws -> Response {
        async let response = inner.respond(to: request, context: context)
        return try await response
    }
}
