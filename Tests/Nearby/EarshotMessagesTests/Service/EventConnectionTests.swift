import Foundation
import MessagesTestSupport
import Synchronization
import TestSupport
import Testing

@testable import EarshotMessages

extension HTTPTests {
    /// The event stream over a connection.
    @Suite struct EventConnectionTests {
        private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        private static let ready = "event: ready\ndata: {\"resumed\":true}\n\n"

        /// All events of a connection, and the failure that ended it.
        private func events(
            _ steps: [ScriptedServer.Step], after lastEventID: String? = nil, silence: Duration = .seconds(45)
        ) async throws -> (events: [ServiceEvent], failure: ServiceFailure?, server: ScriptedServer) {
            let server = try ScriptedServer { $0.isOpening ? ScriptedServer.opening : steps }
            var pace = MessageManager.Pace()
            pace.streamTimeout = silence
            let service = HTTPMessageService(url: try #require(URL(string: server.url)), key: "k", pace: pace)
            var events: [ServiceEvent] = []
            do {
                for try await event in service.events(in: ServiceSession(secret: "s"), after: lastEventID) {
                    events.append(event)
                }
                return (events, nil, server)
            } catch {
                return (events, try #require(error as? ServiceFailure), server)
            }
        }

        @Test func eventsComeAsTheyAreSent() async throws {
            let (events, failure, server) = try await events(
                [
                    .send(Self.head + "event: rea"), .pause(milliseconds: 50), .send("dy\ndata: {\"resumed\":true}\n"),
                    .pause(milliseconds: 50), .send("\n: quiet\n\n"),
                ], after: "17")
            #expect(events == [.ready(isResumed: true), .quiet])
            #expect(failure == nil, "the service closed it")
            #expect(server.requests.last?.line == "GET /v1/events HTTP/1.1")
            #expect(server.requests.last?.headers["last-event-id"] == "17")
            #expect(server.requests.last?.headers["authorization"] == "Bearer s")
        }

        /// During a connection's first request, Foundation asks without pause whether the connection can be written to.
        @Test func anEventStreamIsNotTheFirstRequestOfItsConnection() async throws {
            let (_, _, server) = try await events([.send(Self.head + Self.ready)])
            #expect(server.requests.map(\.isOpening) == [true, false])
            #expect(server.requests.map(\.connection) == [1, 1])
        }

        /// A proxy may close every connection after its answer.
        @Test func aServerThatClosesAfterEachAnswerWorks() async throws {
            let server = try ScriptedServer {
                $0.isOpening ? ScriptedServer.answer(405) : [.send(Self.head + Self.ready)]
            }
            let service = HTTPMessageService(
                url: try #require(URL(string: server.url)), key: "k", pace: MessageManager.Pace())
            var events: [ServiceEvent] = []
            for try await event in service.events(in: ServiceSession(secret: "s"), after: nil) { events.append(event) }
            #expect(events == [.ready(isResumed: true)])
        }

        @Test func aSilentConnectionIsDead() async throws {
            let (events, failure, server) = try await events(
                [.send(Self.head + Self.ready), .hang], silence: .seconds(20))
            #expect(events == [.ready(isResumed: true)])
            guard case .unreachable = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(await eventually { server.hangUps == 1 })
        }

        @Test func aCommentKeepsAConnectionAlive() async throws {
            // Twelve pauses of two seconds, with a limit of twenty.
            let quiet = (0..<12).flatMap { _ in [ScriptedServer.Step.pause(milliseconds: 2_000), .send(": quiet\n")] }
            let (events, failure, _) = try await events(
                [.send(Self.head + Self.ready)] + quiet, silence: .seconds(20))
            #expect(events.count == 13 && failure == nil)
        }

        @Test func refusalsAreUnderstood() async throws {
            let body = "{\"problem\":{\"code\":\"bad_session\",\"message\":\"m\",\"remedy\":\"r\"}}"
            let (events, failure, _) = try await events(ScriptedServer.answer(401, body))
            #expect(events.isEmpty && failure?.isBadSession == true)
        }

        @Test func anythingButAnEventStreamIsInvalid() async throws {
            for steps in [
                [ScriptedServer.Step.send(Self.head + "event: ready\ndata: moo\n\n")],
                [.send(Self.head), .flood(Data("a".utf8) + Data(count: 65_535), pauseMilliseconds: 0)],
                ScriptedServer.answer(302, "", headers: "Location: http://127.0.0.1:1/\r\n"),
                [.send("HTTP/1.1 418 X\r\n\r\n"), .flood(Data(count: 65_536), pauseMilliseconds: 0)],
            ] {
                let (events, failure, _) = try await events(steps)
                guard events.isEmpty, case .invalid = failure else {
                    Issue.record("\(events), \(String(describing: failure))")
                    continue
                }
            }
        }

        /// A session that has ended must not make tasks: Foundation would trap.
        @Test func aServiceThatIsReleasedAtOnceDoesNoHarm() async throws {
            let server = try ScriptedServer {
                $0.isOpening ? ScriptedServer.opening : [.send(Self.head + Self.ready), .hang]
            }
            let url = try #require(URL(string: server.url))
            // Forty at a time, each with four sockets. Other tests use Foundation's `Process` meanwhile, which reads
            // beyond its memory if a program has more than 1,300 descriptors.
            for turn in 0..<10 {
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<40 {
                        group.addTask {
                            let reading = Task {
                                let service = HTTPMessageService(url: url, key: "k", pace: MessageManager.Pace())
                                for try await _ in service.events(in: ServiceSession(secret: "s"), after: nil) {}
                            }
                            // The end comes at any moment between the first request and the second.
                            try? await Task.sleep(for: .microseconds((number * 10 + turn) * 10))
                            reading.cancel()
                            _ = await reading.result
                        }
                    }
                }
                #expect(await eventually(within: .seconds(120)) { Self.descriptorCount < 500 })
            }
        }

        private static var descriptorCount: Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        }

        @Test func theEndOfTheReaderClosesTheConnection() async throws {
            let server = try ScriptedServer {
                $0.isOpening ? ScriptedServer.opening : [.send(Self.head + Self.ready), .hang]
            }
            let service = HTTPMessageService(
                url: try #require(URL(string: server.url)), key: "k", pace: MessageManager.Pace())
            for try await _ in service.events(in: ServiceSession(secret: "s"), after: nil) { break }
            #expect(await eventually { server.hangUps == 1 })
        }
    }
}
