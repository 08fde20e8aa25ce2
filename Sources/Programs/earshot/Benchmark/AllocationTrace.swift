import CMalloc
import EarshotBenchmark
import EarshotConsole
import EarshotModem
import EarshotSystem
import Glibc

/// Counts the allocations of a running receiver, by the C library's own trace.
///
/// glibc writes a line for each allocation if `libc_malloc_debug.so.0` was loaded before the program, so a second
/// process of this program decodes with that library. The first process keeps its normal allocator.
enum AllocationTrace {
    /// The sound that the receiver hears.
    enum Scene: String, CaseIterable {
        case noise, tokens

        var traffic: Traffic {
            switch self {
            case .noise: .noise
            case .tokens: .tokenEvery(2, snrDecibels: 20)
            }
        }
    }

    struct Count {
        var blockCount: Int
        var frameCount: Int
        var allocationCount: Int
    }

    private static let library = "libc_malloc_debug.so.0"
    /// An allocation of a unique size, which shows that the trace works: 0x3039 bytes.
    private static let probeByteCount = 12_345
    /// Descriptors of the second process.
    private static let (outputDescriptor, traceDescriptor): (CInt, CInt) = (1, 3)

    /// The allocations in a few thousand blocks; nil if this system has no such library.
    static func count(_ scene: Scene) -> Count? {
        guard let output = TemporaryFile.spool(), let trace = TemporaryFile.spool(),
            runProgram(scene, output: output, trace: trace)
        else { return nil }
        let figures = text(of: output).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        let allocations = text(of: trace).split(separator: "\n").compactMap(allocatedByteCount)
        guard figures.count == 2, allocations.contains(probeByteCount) else { return nil }
        return Count(
            blockCount: figures[0], frameCount: figures[1],
            allocationCount: allocations.count { $0 != probeByteCount })
    }

    /// The work of the second process: it prints the number of blocks and frames, and the C library writes the trace.
    static func decode(_ scene: Scene) throws {
        let samples = try scene.traffic.samples(seconds: 20)
        let listening = try Listening()
        // Until the receiver stores the maximum number of frames, and its lists have reached their sizes.
        for _ in 0..<8 { listening.push(samples) }
        mtrace()
        let probe = malloc(probeByteCount)
        // The compiler removes an allocation if nothing uses its address.
        keep(Float(UInt(bitPattern: probe) % 2))
        free(probe)
        var (blockCount, frameCount) = (0, 0)
        for _ in 0..<3 {
            let pass = listening.push(samples)
            blockCount += pass.blockCount
            frameCount += pass.frameCount
        }
        muntrace()
        StandardStream.output.print("\(blockCount) \(frameCount)")
    }

    /// The size in a line such as "@ earshot:[0x11ae] + 0x560ccb0764a0 0x3039"; nil if the line is no allocation. A
    /// resized block has two lines, one of them with ">".
    private static func allocatedByteCount(_ line: Substring) -> Int? {
        let fields = line.split(separator: " ")
        guard let size = fields.last, fields.contains("+") || fields.contains(">"), size.hasPrefix("0x") else {
            return nil
        }
        return Int(size.dropFirst(2), radix: 16)
    }

    private static func runProgram(_ scene: Scene, output: TemporaryFile, trace: TemporaryFile) -> Bool {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output.descriptor.number, outputDescriptor)
        posix_spawn_file_actions_adddup2(&actions, trace.descriptor.number, traceDescriptor)
        // The dynamic linker reports a missing library there; the trace shows that too.
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        let variables = inheritedVariables + ["LD_PRELOAD=\(library)", "MALLOC_TRACE=/proc/self/fd/\(traceDescriptor)"]
        return withCStrings(["earshot", "benchmark", "--count-allocations", scene.rawValue]) { arguments in
            withCStrings(variables) { environment in
                var child = pid_t()
                guard posix_spawn(&child, "/proc/self/exe", &actions, nil, arguments, environment) == 0 else {
                    return false
                }
                var status: CInt = 0
                while waitpid(child, &status, 0) < 0 { if errno != EINTR { return false } }
                return status == 0
            }
        }
    }

    /// The environment of this process without the variables that the trace sets.
    private static var inheritedVariables: [String] {
        var variables: [String] = []
        var next = environ
        while let variable = next.pointee {
            variables.append(String(cString: variable))
            next += 1
        }
        return variables.filter { !$0.hasPrefix("LD_PRELOAD=") && !$0.hasPrefix("MALLOC_TRACE=") }
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = texts.map { strdup($0) }
        defer { pointers.forEach { free($0) } }
        return body(pointers + [nil])
    }

    private static func text(of file: TemporaryFile) -> String {
        let content = try? InputFile.read(
            FilePath("/proc/self/fd/\(file.descriptor.number)"), maximumByteCount: 10_000_000)
        return String(decoding: content ?? [], as: UTF8.self)
    }
}
