import CMalloc
import Dispatch
import EarshotConsole
import Glibc
import Synchronization

/// The memory of the receivers of all inputs that are decoded at the same time.
///
/// Swift aborts the process if an allocation fails, so every input asks here before it makes its receivers. If the
/// receivers of an input do not fit beside the others, the input waits until one of those ends.
final class ReceiverMemory: Sendable {
    private struct State {
        /// Bytes that were granted, but are not allocated yet.
        var pendingByteCount = 0
        var holderCount = 0
        var waitingCount = 0
    }

    private enum Answer {
        case granted
        case wait
        case refused
    }

    /// For buffers, threads and tokens beside the receivers. A thread's stack takes 8 MB.
    private static let spareByteCount = 24_000_000

    private let state = Mutex(State())
    private let released = DispatchSemaphore(value: 0)

    /// The maximum memory of one input's receivers in bytes: 6 MB a channel and 0.3 MB for every combined repeat, and a
    /// tenth more. The sample rate does not count, because receivers keep their history at 3 kHz. Channels that share a
    /// receiver take less.
    static func byteCount(channelCount: Int, combinedCount: Int) -> Int {
        channelCount * (6_600_000 + 330_000 * combinedCount)
    }

    /// Whether threads can be started: without memory for their stacks, Dispatch waits forever.
    static var canStartThreads: Bool { canAllocate(spareByteCount) }

    /// Lets all threads allocate from one heap, where receivers of one thread reuse the memory that another released.
    /// Separate heaps reserve 64 MB a thread, and do not share freed memory. Call it before threads start.
    static func shareHeap() {
        mallopt(M_ARENA_MAX, 1)
    }

    /// Reserves memory for the receivers of one input, and waits while receivers of other inputs use it. Call `settle`
    /// when the receivers exist, and `release` when they are gone.
    /// - Returns: false if the system has too little memory.
    func reserve(_ byteCount: Int) -> Bool {
        while true {
            let answer: Answer = state.withLock { state in
                if Self.canAllocate(state.pendingByteCount + byteCount + Self.spareByteCount) {
                    state.pendingByteCount += byteCount
                    state.holderCount += 1
                    return .granted
                }
                guard state.holderCount > 0 else { return .refused }
                state.waitingCount += 1
                return .wait
            }
            switch answer {
            case .granted: return true
            case .refused: return false
            case .wait: released.wait()
            }
        }
    }

    /// Notes that the receivers exist, so that the system counts their memory.
    func settle(_ byteCount: Int) {
        state.withLock { $0.pendingByteCount -= byteCount }
    }

    /// Notes that the receivers are gone, and wakes the inputs that wait.
    func release() {
        state.withLock { state in
            state.holderCount -= 1
            for _ in 0..<state.waitingCount { released.signal() }
            state.waitingCount = 0
        }
    }

    /// Whether the process can have so much more memory: within its own limits (`ulimit -v`, `ulimit -d`), its container's, and
    /// the machine's.
    private static func canAllocate(_ byteCount: Int) -> Bool {
        // Earlier receivers may have left room in the heap.
        let byteCount = max(spareByteCount, byteCount - Int(mallinfo2().fordblks))
        guard let pages = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            pages != MAP_FAILED
        else { return false }
        munmap(pages, byteCount)
        return byteCount <= availableByteCount
    }

    /// The memory that is free or can be freed, on the machine and in the process's container.
    private static var availableByteCount: Int {
        var available = Int.max
        if let machine = kilobytes("MemAvailable:", in: "/proc/meminfo") {
            available = 1_024 * (machine + (kilobytes("SwapFree:", in: "/proc/meminfo") ?? 0))
        }
        let resident = 1_024 * (kilobytes("VmRSS:", in: "/proc/self/status") ?? 0)
        // Where a container sees its own limit: version 2 of control groups, and version 1.
        for path in ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"] {
            if let limit = firstLine(of: path).flatMap({ Int($0) }) { available = min(available, limit - resident) }
        }
        return available
    }

    private static func kilobytes(_ key: String, in path: String) -> Int? {
        lines(of: path).first { $0.starts(with: key.utf8) }.flatMap { line in
            Int(String(decoding: line.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }, as: UTF8.self))
        }
    }

    private static func firstLine(of path: String) -> String? {
        lines(of: path).first.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The lines in the first 4 kB of a small file of the system; none if it cannot be read. Bytes, because every start of the
    /// program reads two such files, and lines of text take ten times as long.
    private static func lines(of path: String) -> [ArraySlice<UInt8>] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(descriptor, &bytes, bytes.count)
        return bytes[..<max(count, 0)].split(separator: UInt8(ascii: "\n"))
    }
}
