import Foundation
import FoundationNetworking
import Glibc
import MessagesTestSupport
import Synchronization
import TestSupport
import Testing

@testable import EarshotMessages

extension HTTPTests {
    @Suite struct HTTPTransportTests {
        /// More requests than a session has connections wait inside Foundation. None of them is answered.
        @Test(arguments: [0, 1, 6, 40]) func closingEndsEachRequest(count: Int) async throws {
            let server = try ScriptedServer { _ in [.pause(milliseconds: 60_000)] }
            let url = try #require(URL(string: server.url))
            weak var ended: HTTPTransport?
            do {
                let (session, transport) = HTTPTransport.session(idleTimeout: .seconds(45))
                ended = transport
                let readers = (0..<count).map { _ in
                    let pieces = transport.pieces(of: URLRequest(url: url), by: session)
                    return Task { () -> ServiceFailure? in
                        do {
                            for try await _ in pieces { Issue.record("there is no answer") }
                            return nil
                        } catch { return error as? ServiceFailure }
                    }
                }
                #expect(await eventually { server.requests.count >= min(count, 1) })
                transport.close(session)
                for reader in readers {
                    // URLError.cancelled.
                    #expect(await reader.value?.problem.detail.contains("the connection failed (-999)") == true)
                }
            }
            #expect(await eventually { ended == nil }, "a session that has ended does not keep its delegate")
        }

        /// The session ends before, during and after the answer, which takes about a millisecond. Each request ends with its answer, or
        /// with the failure.
        @Test func closingAtAnyTimeEndsTheRequest() async throws {
            let server = try ScriptedServer { _ in ScriptedServer.answer(200, "hello") }
            let request = URLRequest(url: try #require(URL(string: server.url)))
            var (answerCount, failureCount) = (0, 0)
            for round in 0..<400 {
                let (session, transport) = HTTPTransport.session(idleTimeout: .seconds(45))
                let pieces = transport.pieces(of: request, by: session)
                let reader = Task { () -> Data? in
                    var body = Data()
                    do {
                        for try await piece in pieces { if case .body(let data) = piece { body += data } }
                        return body
                    } catch { return nil }
                }
                // 0 to 4 ms.
                usleep(UInt32(round % 40 * 100))
                transport.close(session)
                switch await reader.value {
                case nil: failureCount += 1
                case let body?:
                    answerCount += 1
                    #expect(String(decoding: body, as: UTF8.self) == "hello")
                }
            }
            #expect(answerCount > 0 && failureCount > 0, "\(answerCount) answers, \(failureCount) failures")
        }
    }
}
