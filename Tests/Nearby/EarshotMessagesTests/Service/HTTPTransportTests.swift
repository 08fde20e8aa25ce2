import Foundation
import FoundationNetworking
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

        enum Moment: CaseIterable { case atOnce, atTheServer, withTheHead, withTheBody, afterTheEnd }

        /// Each request ends with its whole answer or with the failure; one that has ended before, with its answer.
        @Test(arguments: Moment.allCases) func closingAtAnyMomentEndsTheRequest(moment: Moment) async throws {
            let server = try ScriptedServer { _ in ScriptedServer.answer(200, "hello") }
            let request = URLRequest(url: try #require(URL(string: server.url)))
            for round in 1...100 {
                let (session, transport) = HTTPTransport.session(idleTimeout: .seconds(45))
                let pieces = transport.pieces(of: request, by: session)
                let (moments, progress) = AsyncStream.makeStream(of: Moment.self)
                let reader = Task { () -> Data? in
                    defer {
                        progress.yield(.afterTheEnd)
                        progress.finish()
                    }
                    var body = Data()
                    do {
                        for try await piece in pieces {
                            guard case .body(let data) = piece else {
                                progress.yield(.withTheHead)
                                continue
                            }
                            body += data
                            progress.yield(.withTheBody)
                        }
                        return body
                    } catch { return nil }
                }
                switch moment {
                case .atOnce: break
                case .atTheServer: while server.requests.count < round { await Task.yield() }
                case .withTheHead, .withTheBody, .afterTheEnd:
                    for await reached in moments where reached == moment { break }
                }
                transport.close(session)
                let body = await reader.value.map { String(decoding: $0, as: UTF8.self) }
                #expect(
                    body == "hello" || body == nil && moment != .afterTheEnd, "round \(round): \(body ?? "a failure")")
            }
        }
    }
}
