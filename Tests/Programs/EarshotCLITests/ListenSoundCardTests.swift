import Foundation
import TestSupport
import Testing

/// `broadcast` in one process and `listen` in another, through a real sound server in real time.
@Suite(
    .apart,
    .disabled(
        if: ProcessInfo.processInfo.environment["EARSHOT_SKIP_SOUND_CARD"] == "1", "EARSHOT_SKIP_SOUND_CARD=1 is set"))
struct ListenSoundCardTests {
    /// Twenty tokens, or 460 in long runs, which take four minutes side by side.
    @Test(arguments: [
        ("fast", TestLength.count(8, long: 200)), ("standard", TestLength.count(8, long: 200)),
        ("far", TestLength.count(4, long: 60)),
    ])
    func everyTokenIsHeardOnce(profile: String, count: Int) async throws {
        let session = try await onSoundCard {
            let session = try LiveSession()
            try session.exchange(profile: profile, count: count)
            return session
        }
        session.expectAllHeardOnce(profile: profile, count: count)
    }

    /// Music and speech play into the same sink, each as loud as the tokens.
    @Test(arguments: [
        ("fast", TestLength.count(8, long: 200)), ("standard", TestLength.count(8, long: 100)),
        ("far", TestLength.count(4, long: 40)),
    ])
    func tokensAreHeardBesideMusicAndSpeech(profile: String, count: Int) async throws {
        let session = try await onSoundCard {
            let session = try LiveSession()
            let others = try session.playNoise(decibels: LiveSession.levelDecibels)
            try session.exchange(profile: profile, count: count)
            guard others.allSatisfy(\.isRunning) else {
                throw SoundCard.Trouble(description: "the other sound ended too early. \(others[0].account)")
            }
            return session
        }
        session.expectAllHeardOnce(profile: profile, count: count)
    }

    @Test(
        .enabled(if: SoundCard.isVirtual),
        arguments: [["--rate", "44100"], ["--rate", "96000"], ["--channels", "2"], ["--format", "s16le"]])
    func tokensAreHeardAtEveryServerRate(options: [String]) async throws {
        let session = try await onSoundCard {
            let session = try LiveSession(options)
            try session.exchange(profile: "standard", count: 5)
            return session
        }
        session.expectAllHeardOnce(profile: "standard", count: 5)
    }

    @Test(arguments: [
        ["--rate", "44100"], ["--rate", "192000"], ["--channels", "2"], ["--channels", "8"],
        ["--channels", "2", "--mix"],
    ])
    func tokensAreHeardAtEveryRequestedFormat(options: [String]) async throws {
        let session = try await onSoundCard {
            let session = try LiveSession(["--channels", "2"])
            try session.exchange(profile: "fast", count: 5, listenOptions: options)
            return session
        }
        session.expectAllHeardOnce(profile: "fast", count: 5)
    }

    @Test func everyChannelIsHeardIfRequested() async throws {
        let session = try await onSoundCard {
            let session = try LiveSession(["--channels", "2"])
            try session.exchange(
                profile: "fast", count: 3, listenOptions: ["--channels", "2", "--every-channel"], expected: 6)
            return session
        }
        #expect(session.heard.map(\.channel) == [0, 1, 0, 1, 0, 1])
    }

    @Test(.enabled(if: SoundCard.isVirtual)) func theListenerWaitsForAServerThatEnded() async throws {
        let result = try await onSoundCard(causesLoss: true) {
            let session = try LiveSession()
            try session.listen(["--reconnect"])
            try session.broadcast(profile: "fast", count: 1)
            try session.waitForTokens(1)
            try session.card.killServer()
            guard session.listener.waitForError(within: 5, { $0.contains("interrupted") }) else {
                throw SoundCard.Trouble(description: "no interruption reported. \(session.listener.account)")
            }
            usleep(1_500_000)
            try session.card.startServer()
            let begin = Date()
            guard session.listener.waitForError(within: 10, { $0.contains("resumed") }) else {
                throw SoundCard.Trouble(description: "the listener did not resume. \(session.listener.account)")
            }
            let seconds = Date().timeIntervalSince(begin)
            try session.broadcast(profile: "fast", count: 3)
            try session.waitForTokens(4)
            try session.end()
            return (session, seconds)
        }
        let (session, seconds) = result
        // The back-off is at most 1 s, and opening takes less than 0.1 s.
        #expect(seconds < 3)
        #expect(session.heard.count == 4)
        #expect(session.listener.status == 0)
        #expect(session.listener.error.contains("the device was away"))
        // The listener counted the time of the outage: the times by its sample count and by the clock agree.
        session.expectTimesToAgree()
    }

    @Test func aStoppedListenerKeepsTime() async throws {
        let session = try await onSoundCard(causesLoss: true) {
            let session = try LiveSession()
            try session.listen([])
            try session.broadcast(profile: "fast", count: 1)
            try session.waitForTokens(1)
            session.listener.signal(SIGSTOP)
            usleep(2_500_000)
            session.listener.signal(SIGCONT)
            usleep(2_000_000)
            try session.broadcast(profile: "fast", count: 2)
            try session.waitForTokens(3)
            try session.end()
            return session
        }
        #expect(session.heard.count == 3)
        session.expectTimesToAgree()
    }

    @Test func ownTokensAreMarked() async throws {
        let session = try await onSoundCard {
            let session = try LiveSession()
            try session.listen([
                "--broadcast", "00112233", "--playback", session.card.playbackPCM, "--interval", "3", "--count", "3",
            ])
            // A token is lost if it meets one of ours on the air. Ours take 0.8 s in 3, so at most five of ten begin or
            // end within one of ours, whatever the jitter.
            try session.broadcast(profile: "fast", count: 10, interval: 1)
            _ = session.listener.waitForEnd(within: 20)
            return session
        }
        let (ours, theirs) = (session.heard.filter(\.own), session.heard.filter { !$0.own })
        #expect(!ours.isEmpty && ours.allSatisfy { $0.token == "00112233" })
        // --count counts the other devices' tokens.
        #expect(theirs.map(\.token) == Array(repeating: "0123456789abcdef", count: 3))
        #expect(session.listener.status == 0)
    }

    /// The exit code answers whether another device was heard.
    @Test func ownTokensAloneAreNoAnswer() async throws {
        let session = try await onSoundCard {
            let session = try LiveSession()
            try session.listen(["--broadcast", "00112233", "--playback", session.card.playbackPCM, "--interval", "2"])
            try session.waitForTokens(1)
            try session.end()
            return session
        }
        #expect(!session.heard.isEmpty && session.heard.allSatisfy(\.own))
        #expect(session.listener.status == 1, "\(session.listener.account)")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func aSignalEndsListeningWithASummary(signal: Int32) async throws {
        let session = try await onSoundCard {
            let session = try LiveSession()
            try session.listen([])
            try session.broadcast(profile: "fast", count: 2)
            try session.waitForTokens(2)
            session.listener.signal(signal)
            _ = session.listener.waitForEnd(within: 5)
            return session
        }
        #expect(session.listener.status == 0)
        let last = session.listener.error.split(separator: "\n").last ?? ""
        #expect(last.hasPrefix("listened for ") && last.hasSuffix(", 2 tokens, no gaps"))
    }

    @Test func broadcastEndsBetweenTokens() async throws {
        let session = try await onSoundCard {
            let session = try LiveSession()
            try session.listen([])
            let broadcaster = try session.startBroadcast(
                profile: "far", count: 5, payload: String(repeating: "5a", count: 32), interval: 7)
            // The stop comes in the middle of the second payload. A payload of 32 bytes lasts 6.6 s in `far`: 8 tones
            // of sync, 6 of length, 140 of data, of 64 / 1,500 s. The first is heard 0.1 s after its end; the second
            // begins 6.6 to 7.7 s after the first. So the start-up time of a process on a busy machine does not matter.
            try session.waitForTokens(1)
            usleep(3_000_000)
            broadcaster.signal(SIGINT)
            _ = broadcaster.waitForEnd(within: 10)
            #expect(broadcaster.status == 130)
            #expect(broadcaster.output.split(separator: "\n").count == 2)
            try session.waitForTokens(2)
            try session.end()
            return session
        }
        #expect(session.heard.count == 2)
    }

    /// A frame starts 52 tones and 4 tones of silence after the previous one: 56 · 16 / 1,500 s in `fast`.
    @Test func aBurstIsHeardFrameByFrame() async throws {
        let session = try await onSoundCard {
            let session = try LiveSession()
            try session.listen([])
            let broadcaster = try session.startBroadcast(
                profile: "fast", count: 1, interval: 1, more: ["--burst", "3"])
            _ = broadcaster.waitForEnd(within: 15)
            #expect(broadcaster.status == 0)
            #expect(broadcaster.output.split(separator: "\n").count == 1)
            try session.waitForTokens(3)
            try session.end()
            return session
        }
        try #require(session.heard.count == 3)
        let starts = session.heard.map(\.start_s)
        // A quarter of a tone.
        #expect(abs(starts[1] - starts[0] - 56 * 16 / 1_500) < 0.0027)
        #expect(abs(starts[2] - starts[1] - 56 * 16 / 1_500) < 0.0027)
    }

    /// The sound server plays silence in the meantime and reports nothing.
    @Test func aHoleInASentTokenIsReported() async throws {
        let (whole, holed, note) = try await onSoundCard(causesLoss: true) {
            let session = try LiveSession()
            let broadcaster = try session.startBroadcast(profile: "far", count: 3, interval: 2.2)
            guard broadcaster.waitForOutput(within: 20, { $0.contains("\n") }) else {
                throw SoundCard.Trouble(description: "the broadcaster sent nothing. \(broadcaster.account)")
            }
            // A quarter into the second payload; the half second that the device holds runs out a second before its
            // end.
            usleep(500_000)
            broadcaster.signal(SIGSTOP)
            usleep(1_200_000)
            broadcaster.signal(SIGCONT)
            guard broadcaster.waitForEnd(within: 20) else {
                throw SoundCard.Trouble(description: "the program does not end. \(broadcaster.account)")
            }
            let sent: [LiveSession.Sent] = try LiveSession.lines(broadcaster.output)
            return (sent.count, sent.count { $0.underruns > 0 }, broadcaster.error)
        }
        #expect(whole == 3)
        #expect(holed >= 1)
        #expect(note.contains("with holes"))
    }

    @Test func aRecordingSurvivesSIGKILL() async throws {
        let (session, decoded) = try await onSoundCard {
            let session = try LiveSession()
            try session.listen(["--record", "session.wav"])
            try session.broadcast(profile: "fast", count: 3, interval: 0.8)
            try session.waitForTokens(3)
            // The file certainly has all but the last second.
            usleep(1_100_000)
            session.listener.signal(SIGKILL)
            _ = session.listener.waitForEnd(within: 5)
            let decoder = try session.card.run(Tool.url.path, ["decode", "--json", "session.wav"])
            return (session, decoder)
        }
        #expect(session.listener.status == -SIGKILL)
        #expect(decoded.status == 0)
        #expect(decoded.error.isEmpty)
        let inFile: [LiveSession.Line] = try LiveSession.lines(decoded.output)
        #expect(inFile.map(\.token) == session.heard.map(\.token))
        // The file begins with the session.
        for (a, b) in zip(inFile, session.heard) { #expect(abs(a.start_s - b.start_s) < 0.001) }
    }

    @Test func aRecordingIsNotReplacedByAccident() async throws {
        let (session, content) = try await onSoundCard {
            let session = try LiveSession()
            try session.scratch.save(Data("precious".utf8), "session.wav")
            try session.listen(["--record", "session.wav"], isExpectedToStart: false)
            _ = session.listener.waitForEnd(within: 5)
            return (session, try session.scratch.data("session.wav"))
        }
        #expect(content == Data("precious".utf8))
        #expect(session.listener.status == 73)
        #expect(session.listener.error.contains("--overwrite"))
    }

    @Test func memoryStaysFlat() async throws {
        let (early, late) = try await onSoundCard {
            let session = try LiveSession()
            try session.listen([])
            // Two simultaneous tokens at the beginning load all code and memory that is loaded on demand. The receiver
            // examines a token with a hole, which a busy machine may cause, as closely as a collision.
            let other = try session.startBroadcast(
                profile: "standard", count: 4, payload: "fedcba9876543210", interval: 1.2)
            try session.broadcast(profile: "standard", count: 4, interval: 1.2)
            try other.finish(within: 30)
            usleep(1_000_000)
            let before = session.heard.count
            let early = session.listener.memory("VmRSS") ?? 0
            let count = TestLength.count(6, long: 20)
            try session.broadcast(profile: "standard", count: count, interval: 3)
            let late = session.listener.memory("VmRSS") ?? 0
            // One token may fall into a gap; other tests check that.
            try session.waitForTokens(before + count - 1)
            try session.end()
            return (early, late)
        }
        print("resident after the first tokens: \(early) kB, at the end: \(late) kB")
        // 24.6 MB before cancellation, coherent decoding and motion, whose buffers take 5 and 0.3 MB, plus a tenth. Growth: in a long
        // run 20 tokens and 1,000 blocks must not leave a page each.
        #expect(late <= 33 * 1_024)
        #expect(late - early <= 256)
    }

    @Test func loopbackThroughTheCardPasses() async throws {
        let (status, output) = try await onSoundCard {
            let session = try LiveSession()
            let program = try session.card.run(
                Tool.url.path,
                [
                    "loopback", "--via", "alsa", "--device", session.card.capturePCM, "--playback",
                    session.card.playbackPCM, "--count", "3",
                ])
            return (program.status, program.output)
        }
        #expect(status == 0)
        #expect(output.contains("passed"))
    }

    @Test(arguments: [("listen", "no_such_pcm"), ("broadcast", "no_such_pcm"), ("listen", "hw:7,0")])
    func aMissingDeviceIsNamed(command: String, device: String) throws {
        let scratch = try Scratch()
        let payload = command == "broadcast" ? ["cafe"] : []
        let result = try Tool.run([command] + payload + ["--device", device], in: scratch)
        #expect(result.status == 69)
        #expect(result.error.contains("'\(device)'") && result.error.contains("earshot devices"))
        #expect(result.error.split(separator: "\n").count == 1)
    }
}
