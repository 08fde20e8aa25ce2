import CALSA
import Foundation
import TestSupport
import Testing

@testable import EarshotAudio

@Suite struct DeviceErrorTests {
    @Test(arguments: [
        (ENOENT, DeviceError.Kind.notFound, DeviceError.Kind.notFound), (ENXIO, .notFound, .notFound),
        (ENODEV, .notFound, .vanished), (EBUSY, .busy, .busy), (EAGAIN, .busy, .busy),
        (EACCES, .notPermitted, .notPermitted), (EPERM, .notPermitted, .notPermitted),
        (ECONNREFUSED, .vanished, .vanished), (EIO, .vanished, .vanished), (EPIPE, .vanished, .vanished),
        (EBADFD, .vanished, .vanished), (EINVAL, .unsupported, .unsupported), (ENOSYS, .unsupported, .unsupported),
        (ENOMEM, .failed, .failed), (0, .failed, .failed),
    ])
    func codesHaveTheirKinds(code: CInt, opening: DeviceError.Kind, running: DeviceError.Kind) {
        #expect(DeviceError.alsa(-Int(code), operation: "open", device: "x").kind == opening)
        let error = DeviceError.alsa(-Int(code), operation: "record from", device: "x", said: "Too quiet")
        #expect(error.kind == running)
        #expect(error.detail.hasSuffix("(Too quiet)"))
        let text = error.description
        #expect(text.hasPrefix("Cannot record from the sound device 'x': ") && text.hasSuffix("."))
        #expect(!text.contains("\n") && !text.contains(".."))
    }

    @Test func temporaryFailuresAreWorthRetrying() {
        let worth = DeviceError.Kind.allCases.filter {
            DeviceError($0, operation: "open", device: "x", detail: "y", advice: "z").isWorthRetrying
        }
        #expect(worth == [.notFound, .busy, .vanished, .failed])
    }

    @Test(arguments: [
        ("nowhere", DeviceError.Kind.notFound, "Unknown PCM nowhere"),
        ("hw:31,0", .notFound, ""),
        ("card_in:/nowhere/earshot", .vanished, "PulseAudio"),
    ])
    func libraryMessagesAppearOnlyInTheError(name: String, kind: DeviceError.Kind, words: String) async throws {
        let (error, spilt) = try await onThread {
            let name = SoundCard.name(name)
            var error: DeviceError?
            let spilt = try StandardError.collecting {
                do throws(DeviceError) {
                    _ = try PCM(DeviceRequest(name), .capture)
                } catch let problem {
                    error = problem
                }
            }
            return (error, spilt)
        }
        #expect(error?.kind == kind)
        #expect(error?.device == name)
        #expect(error?.detail.contains(words) == true || words.isEmpty, "\(String(describing: error))")
        // Other tests may write there at the same time; the library begins each of its lines like this.
        #expect(!spilt.contains("ALSA lib"), "\(spilt)")
    }

    @Test func messagesCanBeCollectedWithinACollection() {
        let outer = ALSAMessages.collecting {
            let inner = ALSAMessages.collecting { try? PCM.open("inner_nowhere", .capture) }
            // `open` runs a collection of its own.
            #expect(inner.said.isEmpty)
            var handle: OpaquePointer?
            snd_pcm_open(&handle, "outer_nowhere", SND_PCM_STREAM_CAPTURE, 0)
        }
        #expect(outer.said.contains("Unknown PCM outer_nowhere"))
    }
}

/// Collects the output to descriptor 2, including that of C libraries, and passes it on afterwards.
enum StandardError {
    private static let lock = NSLock()

    static func collecting(_ body: () throws -> Void) throws -> String {
        lock.lock()
        defer { lock.unlock() }
        let scratch = try TestSupport.Scratch()
        let original = dup(2)
        let file = open(scratch.path("stderr"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
        try #require(original >= 0 && file >= 0)
        dup2(file, 2)
        defer { close(original) }
        let result = Result { try body() }
        dup2(original, 2)
        close(file)
        let data = try scratch.data("stderr")
        FileHandle.standardError.write(data)
        try result.get()
        return String(decoding: data, as: UTF8.self)
    }
}
