import Dispatch
import Foundation
import FoundationNetworking
import Synchronization

/// HTTP by URLSession, without cookies, cache and redirections, with a limit on the bytes in memory.
///
/// A delegate receives the data, because `URLSession.bytes` does not exist on Linux.
final class HTTPTransport: NSObject, URLSessionDataDelegate, Sendable {
    /// A piece of the answer to a request, in order.
    enum Piece: Sendable {
        case head(status: Int, retryAfter: Duration?)
        case body(Data)
    }

    /// The maximum number of pieces that wait for the reader. libcurl delivers at most 16 KiB at a time.
    private static let maximumBacklog = 1_024

    typealias Stream = AsyncThrowingStream<Piece, any Error>

    /// A task whose end the session has not reported, and the reader of its answer.
    private struct Running {
        let task: URLSessionDataTask
        let reader: Stream.Continuation
    }

    /// By the identifiers of the tasks.
    private let running = Mutex<[Int: Running]>([:])
    /// Creates tasks, cancels them and ends sessions, in this order. Each call waits for the session's queue, which a
    /// flood of data may keep busy, and must not block one of Swift's few threads. There is one queue for all sessions:
    /// with one for each, ending hundreds of them at once blocked all threads, so none was left for the work that they
    /// waited for.
    private static let tasks = DispatchQueue(label: "earshot-http")

    /// A session without connections.
    /// - Parameters:
    ///   - idleTimeout: a connection that is silent for this long counts as dead.
    ///   - connectionCount: the maximum number of connections; nil for the system's.
    static func session(idleTimeout: Duration, connectionCount: Int? = nil) -> (URLSession, HTTPTransport) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = idleTimeout / .seconds(1)
        if let connectionCount { configuration.httpMaximumConnectionsPerHost = connectionCount }
        let transport = HTTPTransport()
        return (URLSession(configuration: configuration, delegate: transport, delegateQueue: nil), transport)
    }

    /// Sends a request. The request ends when its stream is no longer read.
    func pieces(of request: URLRequest, by session: URLSession) -> Stream {
        let (stream, continuation) = Stream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumBacklog))
        Self.tasks.async { [self] in
            let task = session.dataTask(with: request)
            running.withLock { $0[task.taskIdentifier] = Running(task: task, reader: continuation) }
            // A stream whose reader has left already calls this handler now.
            continuation.onTermination = { [self] _ in
                Self.tasks.async { [self] in
                    // Foundation traps if a task that has just completed is cancelled.
                    if isRunning(task) { task.cancel() }
                }
            }
            task.resume()
        }
        return stream
    }

    /// Ends the session and its requests. Nothing may be sent afterwards.
    ///
    /// Not by `invalidateAndCancel`, which reads the session's list of tasks on this thread while the session's own queue changes it
    /// (Swift 6.3): that ended the process twice in 65,000 sessions. `finishTasksAndInvalidate` reads it on the session's queue.
    func close(_ session: URLSession) {
        // Foundation traps if a task is created after that; tasks requested earlier come first in the queue.
        Self.tasks.async { [self] in
            for request in running.withLock({ Array($0.values) }) { request.task.cancel() }
            session.finishTasksAndInvalidate()
        }
    }

    /// Whether the session has not yet reported the task's end.
    private func isRunning(_ task: URLSessionTask) -> Bool { running.withLock { $0[task.taskIdentifier] != nil } }

    private func yield(_ piece: Piece, of task: URLSessionTask) {
        guard let reader = running.withLock({ $0[task.taskIdentifier]?.reader }) else { return }
        if case .dropped = reader.yield(piece) {
            reader.finish(throwing: ServiceFailure.invalid("it sends faster than the program can read"))
        }
    }

    // MARK: URLSessionDataDelegate

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            // Dates are ignored: clocks differ.
            let seconds = response.value(forHTTPHeaderField: "Retry-After").flatMap { UInt32($0) }
            yield(
                .head(status: response.statusCode, retryAfter: seconds.map { .seconds(Int($0)) }), of: dataTask)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        yield(.body(data), of: dataTask)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // A redirection must not carry the key to another host.
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let ended = running.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        ended?.reader.finish(throwing: error.map { ServiceFailure.unreachable(Self.text($0)) })
    }

    /// Earshot's own texts, because the system's texts contain the address.
    private static func text(_ error: any Error) -> String {
        guard let error = error as? URLError else { return "the connection failed" }
        return switch error.code {
        case .cannotConnectToHost: "nothing accepts connections there, so check the address, and that the service runs"
        case .cannotFindHost, .dnsLookupFailed: "there is no host with that name"
        case .timedOut: "it does not answer in time"
        case .networkConnectionLost where error.failingURL?.scheme == "http":
            "the connection broke; if the service has TLS, its address begins with https"
        case .networkConnectionLost: "the connection broke"
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
            "its certificate is not trusted, or TLS failed"
        // With a certificate that is not trusted, and with plain HTTP in place of TLS, Foundation on Linux reports no more.
        case .unknown where error.failingURL?.scheme == "https":
            "the connection failed; with https, its certificate is not trusted, or it speaks plain HTTP"
        case .unknown: "the connection failed, so check that this machine is on a network that leads there"
        default: "the connection failed (\(error.code.rawValue))"
        }
    }
}
