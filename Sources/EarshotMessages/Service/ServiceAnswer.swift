import Foundation

/// The answer to one request.
enum ServiceAnswer {
    /// Reads it, up to a limit.
    /// - Returns: the body of an answer that accepts; a failure where the task is cancelled: no answer in time.
    static func read(_ pieces: HTTPTransport.Stream) async -> Result<Data, ServiceFailure> {
        var status: Int?
        var retryAfter: Duration?
        var body = Data()
        do {
            for try await piece in pieces {
                switch piece {
                case .head(let code, let pause): (status, retryAfter) = (code, pause)
                case .body(let data):
                    guard body.count + data.count <= HTTPMessageService.largestAnswerCount else {
                        return .failure(.nonsense("its answer is larger than any can be"))
                    }
                    body.append(data)
                }
            }
        } catch {
            return .failure(error as? ServiceFailure ?? .unreachable("the connection failed"))
        }
        if Task.isCancelled { return .failure(.unreachable("no answer in time")) }
        guard let status else { return .failure(.unreachable("the connection broke")) }
        if (200..<300).contains(status) { return .success(body) }
        return .failure(failure(status: status, retryAfter: retryAfter, body: body))
    }

    /// What an answer that does not accept means.
    static func failure(status: Int, retryAfter: Duration?, body: Data) -> ServiceFailure {
        let problem = try? JSONDecoder().decode(ServiceBodies.Problem.self, from: body)
        if let code = problem?.problem.code, code.isIdentifier(upTo: 40), code != "no_such_path" {
            return .refused(status: status, code: code, retryAfter: retryAfter)
        }
        return switch status {
        case 300..<400: .nonsense("it redirects elsewhere")
        case 404: .nonsense("it has no such path")
        // A proxy, which has nobody behind it.
        case 502, 504: .unreachable("a proxy does not reach it")
        case 401, 403, 429, 500..<600: .refused(status: status, code: "http_\(status)", retryAfter: retryAfter)
        default: .nonsense("it answers with status \(status)")
        }
    }
}
