import Dispatch
import Glibc
import Synchronization
import Testing

@testable import NearbyWire

@Suite(.timeLimit(.minutes(2))) struct DescriptorSourcesTests {
    private func pair() -> (CInt, CInt) {
        var ends: [CInt] = [-1, -1]
        #expect(
            socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends)
                == 0)
        return (ends[0], ends[1])
    }

    /// Others, such as Foundation, use libdispatch, which knows a descriptor by its number, also after it was closed.
    @Test func aNumberThatWasClosedWhileLibdispatchWatchedItIsHeard() {
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

    /// The other side hangs up while the source is cancelled. Numbers are used again at once.
    @Test func connectionsThatEndAtOnceAreAllReadAndEnd() {
        let queue = DispatchQueue(label: "test")
        for turn in 0..<3_000 {
            let (reader, writer) = pair()
            let end = DispatchSemaphore(value: 0)
            let count = Mutex(0)
            let source = Mutex<ReadSource?>(nil)
            let opened = ReadSource(
                reader, queue: queue,
                onReadable: {
                    var bytes = [UInt8](repeating: 0, count: 16)
                    let got = read(reader, &bytes, bytes.count)
                    if got > 0 { count.withLock { $0 += got } } else { source.withLock { $0 }?.cancel() }
                },
                onEnd: {
                    close(reader)
                    end.signal()
                })
            source.withLock { $0 = opened }
            #expect(write(writer, "abc", 3) == 3)
            close(writer)
            guard end.wait(timeout: .now() + 30) == .success else {
                Issue.record("connection \(turn) did not end")
                return
            }
            // Nothing is called after the end, and a second end does nothing.
            opened.cancel()
            #expect(count.withLock { $0 } == 3)
        }
    }

    /// A source that is ready many times, and one that is cancelled by another thread while its closure may run.
    @Test func nothingIsCalledAfterTheEnd() {
        let queue = DispatchQueue(label: "test")
        for _ in 0..<200 {
            let (reader, writer) = pair()
            let ended = DispatchSemaphore(value: 0)
            let isOver = Atomic(false)
            let lateCount = Atomic(0)
            let called = DispatchSemaphore(value: 0)
            // It never reads, so it is called again and again.
            let source = ReadSource(
                reader, queue: queue,
                onReadable: {
                    if isOver.load(ordering: .acquiring) { lateCount.add(1, ordering: .relaxed) }
                    called.signal()
                },
                onEnd: {
                    isOver.store(true, ordering: .releasing)
                    ended.signal()
                })
            #expect(write(writer, "a", 1) == 1)
            for _ in 0..<3 { called.wait() }
            source.cancel()
            ended.wait()
            queue.sync {}
            #expect(lateCount.load(ordering: .relaxed) == 0)
            close(reader)
            close(writer)
        }
    }
}
