import Dispatch
import Foundation
import FoundationNetworking
import Synchronization

/// HTTP by URLSession: no cookies, no cache, no redirection to elsewhere, and never more in memory than is asked for.
///
/// `URLSession.bytes` does not exist on Linux, so a delegate takes what comes.
final class HTTPTransport: NSObject, URLSessionDataDelegate, Sendable {
    /// What comes of one request, in order.
    enum Piece: Sendable {
        case head(status: Int, retryAfter: Duration?)
        case body(Data)
    }

    /// Pieces that wait for their reader; libcurl makes them of at most 16 KiB.
    private static let largestBacklog = 1_024

    typealias Stream = AsyncThrowingStream<Piece, any Error>

    private let readers = Mutex<[Int: Stream.Continuation]>([:])

    /// Opens nothing yet.
    /// - Parameter idleTimeout: a connection is dead that was silent for so long.
    static func session(idleTimeout: Duration) -> (URLSession, HTTPTransport) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = idleTimeout / .seconds(1)
        let transport = HTTPTransport()
        return (URLSession(configuration: configuration, delegate: transport, delegateQueue: nil), transport)
    }

    /// Sends a request. Ends it where its pieces are no longer read.
    func pieces(of request: URLRequest, by session: URLSession) -> Stream {
        let (stream, continuation) = Stream.makeStream(bufferingPolicy: .bufferingOldest(Self.largestBacklog))
        let task = session.dataTask(with: request)
        readers.withLock { $0[task.taskIdentifier] = continuation }
        continuation.onTermination = { _ in
            // It waits for the session's queue, which may be busy with a flood: nobody else shall.
            DispatchQueue.global().async { task.cancel() }
        }
        task.resume()
        return stream
    }

    private func yield(_ piece: Piece, of task: URLSessionTask) {
        guard let reader = readers.withLock({ $0[task.taskIdentifier] }) else { return }
        if case .dropped = reader.yield(piece) {
            reader.finish(throwing: ServiceFailure.nonsense("it sends more than can be read"))
        }
    }

    // MARK: URLSessionDataDelegate

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            // A date is not understood: clocks differ.
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
        // A key must not be carried to wherever an answer points.
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let reader = readers.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        reader?.finish(throwing: error.map { ServiceFailure.unreachable(Self.text($0)) })
    }

    /// In our own words: those of the system name the address.
    private static func text(_ error: any Error) -> String {
        guard let error = error as? URLError else { return "the connection failed" }
        return switch error.code {
        case .cannotConnectToHost: "nobody listens there"
        case .cannotFindHost, .dnsLookupFailed: "there is no host of that name"
        case .timedOut: "no answer in time"
        case .networkConnectionLost: "the connection broke"
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
            "its certificate is not trusted, or TLS failed"
        default: "the connection failed (\(error.code.rawValue))"
        }
    }
}
