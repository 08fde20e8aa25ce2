import Foundation
import NearbyWire

/// Reads the answer to one request.
enum ServiceAnswer {
    /// Reads the answer, up to the maximum size.
    /// - Returns: the body of a successful answer; a failure also if the task is cancelled, because the answer came too late.
    static func read(_ pieces: HTTPTransport.Stream, upTo maximumCount: Int) async -> Result<Data, ServiceFailure> {
        var status: Int?
        var retryAfter: Duration?
        var body = Data()
        do {
            for try await piece in pieces {
                switch piece {
                case .head(let code, let pause): (status, retryAfter) = (code, pause)
                case .body(let data):
                    guard body.count + data.count <= maximumCount else {
                        return .failure(.invalid("its answer is too large"))
                    }
                    body.append(data)
                }
            }
        } catch {
            return .failure(error as? ServiceFailure ?? .unreachable("the connection failed"))
        }
        if Task.isCancelled { return .failure(.unreachable("it does not answer in time")) }
        guard let status else { return .failure(.unreachable("the connection broke")) }
        if (200..<300).contains(status) { return .success(body) }
        return .failure(failure(status: status, retryAfter: retryAfter, body: body))
    }

    /// The failure for an unsuccessful answer.
    static func failure(status: Int, retryAfter: Duration?, body: Data) -> ServiceFailure {
        let problem = try? JSONDecoder().decode(ProblemBody.self, from: body)
        if let code = problem?.problem.code, code.isIdentifier(upTo: 40), code != "no_such_path" {
            return .refused(status: status, code: code, retryAfter: retryAfter)
        }
        return switch status {
        case 300..<400: .invalid("it redirects to another address")
        case 404: .invalid("it has no such path")
        // The answer of a proxy that cannot reach the service.
        case 502, 504: .unreachable("the proxy cannot reach it")
        case 401, 403, 429, 500..<600: .refused(status: status, code: "http_\(status)", retryAfter: retryAfter)
        default: .invalid("it answers with status \(status)")
        }
    }
}
