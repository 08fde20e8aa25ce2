import EarshotBasics
import EarshotBenchmark
import EarshotConsole
import EarshotModem

/// The report of `earshot benchmark`, as text and as lines of JSON.
struct BenchmarkOutput {
    let run: BenchmarkRun

    var text: [String] {
        let header = ["times real time, one core"] + Profile.all.map(\.name) + ["all profiles"]
        let rows = stride(from: 0, to: run.speeds.count, by: header.count - 1).map { first in
            [run.speeds[first].traffic.name]
                + run.speeds[first..<first + header.count - 1].map {
                    DecimalText.grouped(Int(run.realTime($0).rounded()))
                }
        }
        let megabytes = DecimalText.text(Double(run.channelByteCount) / 1e6, decimals: 2)
        let gigabytes = DecimalText.grouped(
            Int((run.live.channelCount * Double(run.channelByteCount) / 1e9).rounded()))
        let channels = DecimalText.grouped(Int(run.live.channelCount.rounded()))
        let loop = DecimalText.text(1_000 * run.loopSecondsPerSecond, decimals: 2)
        return ["\(ProgramVersion.current), \(cores) of \(HostSystem.processor)", ""] + TextTable.lines([header] + rows)
            + [
                "",
                "live         \(channels) channels of all profiles keep \(cores) busy (\(BenchmarkRun.liveSound.name))",
                "memory       \(megabytes) MB a channel, \(gigabytes) GB for so many",
                "allocations  \(allocations)",
                "reference    the loop of known work takes \(loop) ms for a second of sound",
            ]
    }

    private var cores: String { run.coreCount == 1 ? "one core" : "\(run.coreCount) cores" }

    private var allocations: String {
        guard let noise = run.noiseAllocations, let tokens = run.tokenAllocations else {
            return "not counted: this system has no libc_malloc_debug.so.0, which is glibc's from 2.34 on"
        }
        let share = Double(tokens.allocationCount) / Double(max(tokens.frameCount, 1))
        return "\(noise.allocationCount) in \(DecimalText.grouped(noise.blockCount)) blocks of noise, "
            + "\(DecimalText.text(share, decimals: 1)) a token"
    }

    /// - Parameters:
    ///   - worse: the figures that became worse; nil without a comparison.
    func json(seconds: Double, worse: [BenchmarkFigure]?) -> [String] {
        let rows = run.speeds.map { speed in
            var line = JSONLine()
            line.add("profile", speed.profileName)
            line.add("sound", speed.traffic.name)
            line.add("real_time", run.realTime(speed), decimals: 0)
            line.add("relative", speed.relative, decimals: 4)
            return line.text
        }
        var line = JSONLine()
        line.add("version", ProgramVersion.current)
        line.add("machine", HostSystem.machine)
        line.add("processor", HostSystem.processor)
        line.add("cores", run.coreCount)
        line.add("seconds", seconds, decimals: 1)
        line.add("loop_ms", 1_000 * run.loopSecondsPerSecond, decimals: 4)
        line.add("live_channels", run.live.channelCount, decimals: 0)
        line.add("live_relative", run.live.relative, decimals: 4)
        line.add("channel_bytes", run.channelByteCount)
        if let noise = run.noiseAllocations, let tokens = run.tokenAllocations {
            line.add("allocations", noise.allocationCount)
            line.add(
                "allocations_a_token", Double(tokens.allocationCount) / Double(max(tokens.frameCount, 1)), decimals: 2)
        }
        if let worse {
            line.add("worse", worse.map(\.name))
            line.add("passed", worse.isEmpty)
        }
        return rows + [line.text]
    }
}
