import SimplePushKit
import SimplePushServer
import SimplePushTestSupport
import Testing

@Suite struct MessageTests {
    private func text(_ id: String, to user: String, _ text: String = "Dinner?") -> ClientFrame {
        .text(OutgoingText(id: id, to: user, text: text))
    }

    @Test(arguments: [false, true]) func aTextReachesTheProviderOfItsRecipient(isSecure: Bool) async throws {
        try await World.with(isSecure: isSecure) { world in
            let ben = try await world.client("ben", .notification)
            let ann = try await world.client("ann", .control)
            try await ann.send(text("1", to: "ben", "Grüße\n🍽"))
            let received = try #require(try await ben.text())
            #expect(received.from == "ann" && received.fromName == "Name of ann" && received.text == "Grüße\n🍽")
            #expect(try await ann.next() == .accepted(Accepted(id: "1", isHere: true)))
        }
    }

    @Test func whatWasNotAcknowledgedComesAgainAndNothingElse() async throws {
        try await World.with { world in
            let ann = try await world.client("ann", .control)
            let ben = try await world.client("ben", .notification)
            for number in 1...3 { try await ann.send(text("\(number)", to: "ben")) }
            var sequences: [Int64] = []
            for number in 1...3 {
                let received = try #require(try await ben.text())
                #expect(received.id == "\(number)")
                sequences.append(received.sequence)
            }
            #expect(sequences == sequences.sorted())
            try await ben.send(.acknowledge(Acknowledgement(through: sequences[1])))
            // When the server answers a later frame, it has handled the acknowledgement.
            _ = try await world.client("ben", .control)
            ben.close()
            let again = try await world.client("ben", .notification)
            #expect(try await again.text()?.id == "3")
            try await again.send(.acknowledge(Acknowledgement(through: sequences[2])))
            try await ann.send(text("4", to: "ben"))
            #expect(try await again.text()?.id == "4")
        }
    }

    @Test func aTextForAUserWhoIsAwayWaitsAndArrivesOnce() async throws {
        try await World.with { world in
            try await world.client("ben", .notification).close()
            let ann = try await world.client("ann", .control)
            try await Task.sleep(for: .milliseconds(100))
            try await ann.send(text("1", to: "ben"))
            // The sender did not get the answer, and repeats the text.
            try await ann.send(text("1", to: "ben"))
            for _ in 0..<2 {
                #expect(try await ann.next() == .accepted(Accepted(id: "1", isHere: false)))
            }
            let ben = try await world.client("ben", .notification)
            #expect(try await ben.text()?.id == "1")
            #expect(try await ben.next(seconds: 0.3) == nil)
        }
    }

    /// The queue is longer than a window. The rest follows the acknowledgements in order, with the texts that arrive
    /// meanwhile.
    @Test func aLongQueueArrivesInOrder() async throws {
        try await World.with {
            $0.windowCount = 4
            $0.frameBurst = 1_000
        } body: { world in
            try await world.client("ben", .notification).close()
            let ann = try await world.client("ann", .control)
            for number in 0..<50 { try await ann.send(text("\(number)", to: "ben")) }
            let ben = try await world.client("ben", .notification)
            for number in 0..<100 {
                let received = try #require(try await ben.text())
                #expect(received.id == "\(number)")
                try await ben.send(.acknowledge(Acknowledgement(through: received.sequence)))
                if number < 50 { try await ann.send(text("\(number + 50)", to: "ben")) }
            }
        }
    }

    @Test func aClientThatAcknowledgesNothingGetsOneWindow() async throws {
        try await World.with {
            $0.windowCount = 4
        } body: { world in
            let ben = try await world.client("ben", .notification)
            let ann = try await world.client("ann", .control)
            for number in 0..<10 { try await ann.send(text("\(number)", to: "ben")) }
            var count = 0
            while try await ben.next(seconds: 0.5) != nil { count += 1 }
            #expect(count == 4)
        }
    }

    @Test func aFullQueueRefusesAndKeepsWhatItAccepted() async throws {
        try await World.with {
            $0.waitingCount = 3
        } body: { world in
            try await world.client("ben", .notification).close()
            let ann = try await world.client("ann", .control)
            for number in 0..<3 {
                try await ann.send(text("\(number)", to: "ben"))
                _ = try await ann.next()
            }
            try await ann.send(text("3", to: "ben"))
            guard case .refusal(let refusal)? = try await ann.next() else { return #expect(Bool(false)) }
            #expect(refusal.code == .full && refusal.id == "3")
            let ben = try await world.client("ben", .notification)
            var latest: Int64 = 0
            for number in 0..<3 {
                let received = try #require(try await ben.text())
                #expect(received.id == "\(number)")
                latest = received.sequence
            }
            try await ben.send(.acknowledge(Acknowledgement(through: latest)))
            // There is room again.
            var isAccepted = false
            for attempt in 0..<100 where !isAccepted {
                try await ann.send(text("again\(attempt)", to: "ben"))
                if case .accepted? = try await ann.next() { isAccepted = true }
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(isAccepted)
        }
    }

    @Test func oldTextsAreForgotten() async throws {
        try await World.with {
            $0.waitingSeconds = 1
        } body: { world in
            try await world.client("ben", .notification).close()
            let ann = try await world.client("ann", .control)
            try await ann.send(text("1", to: "ben"))
            _ = try await ann.next()
            try await Task.sleep(for: .seconds(4))
            let ben = try await world.client("ben", .notification)
            #expect(try await ben.next(seconds: 0.5) == nil)
        }
    }

    @Test func aTextForNobodyIsRefusedAndTheLinkGoesOn() async throws {
        try await World.with { world in
            let ann = try await world.client("ann", .control)
            try await ann.send(text("1", to: "nobody"))
            guard case .refusal(let refusal)? = try await ann.next() else { return #expect(Bool(false)) }
            #expect(refusal.code == .unknownUser && refusal.id == "1")
            try await ann.send(.directory(DirectoryRequest()))
            #expect(
                try await ann.next()
                    == .directory(
                        DirectoryPage(users: [.init(id: "ann", name: "Name of ann", isHere: false)], hasMore: false)))
        }
    }

    @Test func theDirectoryComesInPages() async throws {
        try await World.with { world in
            var names: [String] = []
            for number in 0..<150 {
                let name = "user-\(1_000 + number)"
                names.append(name)
                try await world.client(name, .control).close()
            }
            let ann = try await world.client("user-1000", .control)
            var found: [String] = []
            var after: String?
            while true {
                try await ann.send(.directory(DirectoryRequest(after: after)))
                guard case .directory(let page)? = try await ann.next() else { return #expect(Bool(false)) }
                found += page.users.map(\.id)
                #expect(page.users.count <= DirectoryPage.maximumUserCount)
                guard page.hasMore else { break }
                after = page.users.last?.id
            }
            #expect(found == names)
        }
    }
}
