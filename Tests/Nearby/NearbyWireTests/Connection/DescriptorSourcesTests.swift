import Dispatch
import Glibc
import Testing

@testable import NearbyWire

@Suite struct DescriptorSourcesTests {
    private func pair() -> (CInt, CInt) {
        var ends: [CInt] = [-1, -1]
        #expect(
            socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends)
                == 0)
        return (ends[0], ends[1])
    }

    /// Foundation closes a socket before libdispatch ends its source, and the next descriptor gets the number.
    @Test func aNumberThatWasClosedWhileItWasWatchedIsNotDeaf() {
        let queue = DispatchQueue(label: "test")
        let (stale, staleEnd) = pair()
        let isWatched = DispatchSemaphore(value: 0)
        let careless = DispatchSource.makeReadSource(fileDescriptor: stale, queue: queue)
        careless.setRegistrationHandler { isWatched.signal() }
        careless.activate()
        isWatched.wait()

        let (reader, writer) = pair()
        // Takes the number without a moment in which another test could get it.
        #expect(dup2(reader, stale) == stale)
        close(reader)
        let (readable, writable, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let reading = ReadSource(stale, queue: queue, onReadable: { readable.signal() }, onEnd: { ended.signal() })
        #expect(write(writer, "a", 1) == 1)
        #expect(readable.wait(timeout: .now() + 30) == .success)
        let writing = WriteSource(stale, queue: queue, onWritable: { writable.signal() }, onEnd: { ended.signal() })
        #expect(writable.wait(timeout: .now() + 30) == .success)
        reading.cancel()
        writing.cancel()
        for _ in 0..<2 { #expect(ended.wait(timeout: .now() + 30) == .success) }

        careless.setCancelHandler { ended.signal() }
        careless.cancel()
        ended.wait()
        for descriptor in [stale, staleEnd, writer] { close(descriptor) }
    }
}
