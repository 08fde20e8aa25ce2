import ArgumentParser
import EarshotChannel
import EarshotCoding
import EarshotModem
import MallocCounter

/// Counts allocations while a receiver runs.
struct AllocationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allocations", abstract: "Count allocations per block in steady state (must be 0).")

    func run() throws {
        var report = Report(title: "Allocations", command: "earshot-bench allocations")
        if try measureAllocations(&report) > 0 { throw ExitCode.failure }
    }
}

/// - Returns: the allocations in blocks that reported no frame, over all scenes.
@discardableResult
func measureAllocations(_ report: inout Report) throws -> Int {
    report.add(
        "| receiver | blocks | allocations | reported frames | allocations a reported frame |\n|---|---|---|---|---|")
    return try allocationScenes.reduce(0) { sum, scene in
        let result = try scene.measure()
        let perFrame = result.frameCount > 0 ? decimal(result.allocationsAFrame, 1) : "–"
        report.add(
            "| \(scene.name) | \(result.blockCount) | **\(result.inBlocks)** | \(result.frameCount) | \(perFrame) |")
        return sum + result.inBlocks
    }
}

/// The allocations of a receiver.
struct AllocationCount {
    var blockCount = 0
    /// Allocations in blocks that reported no frame.
    var inBlocks = 0
    var frameCount = 0
    /// Allocations in blocks that reported a frame.
    var inFrames = 0

    var allocationsAFrame: Double { Double(inFrames) / Double(max(frameCount, 1)) }

    /// Counts the allocations of `push`, which returns the number of frames that it reported.
    mutating func count(_ push: () -> Int) {
        let before = malloc_counter_count()
        let frames = push()
        let allocations = malloc_counter_count() - before
        blockCount += 1
        frameCount += frames
        if frames > 0 { inFrames += allocations } else { inBlocks += allocations }
    }
}

/// A receiver and its sound.
struct AllocationScene: Sendable {
    var name: String
    var measure: @Sendable () throws -> AllocationCount
}

let allocationScenes: [AllocationScene] =
    [1, 480, 1_024, 4_096, 48_000].map { blockSize in
        AllocationScene(name: "noise in blocks of \(blockSize)") { try allocationsInBlocks(noise(), blockSize) }
    } + [
        AllocationScene(name: "a token every 2 s") {
            try allocationsInBlocks(tokens(byteCount: 8, everySeconds: 2), 1_024)
        },
        AllocationScene(name: "noise, four repeats read together") {
            try allocationsInBlocks(noise(), 1_024, combining: 4)
        },
        AllocationScene(name: "32 bytes every 4 s") {
            try allocationsInBlocks(tokens(byteCount: 32, everySeconds: 4), 1_024)
        },
        AllocationScene(name: "holes of 0.1 to 100 s in noise", measure: allocationsWithHoles),
        AllocationScene(name: "two channels, `ReceiverBank`", measure: allocationsInBank),
    ]

/// 20 s of noise: many times longer than any frame, so that its repetition is no pattern.
private func noise() -> [Float] {
    var noise = WhiteNoise(seed: 11)
    return (0..<48_000 * 20).map { _ in 0.01 * noise.next() }
}

private func tokens(byteCount: Int, everySeconds: Int) throws -> [Float] {
    var samples = noise()
    let payload = try Payload((0..<byteCount).map { UInt8(17 * $0 & 0xFF) })
    let sound = try Transmitter(sampleRateHertz: 48_000).samples(payload, amplitude: 0.1)
    for second in stride(from: 0, to: 20, by: everySeconds) {
        for index in sound.indices {
            samples[second * 48_000 + 10_000 + index] += sound[index]
        }
    }
    return samples
}

/// Checks that the counter works, because a broken one would hide every allocation: an array is one allocation or more.
private func checkCounter() {
    let before = malloc_counter_count()
    var probe = [Int](repeating: 1, count: 1_000)
    probe[0] = malloc_counter_count()
    precondition(probe[0] > before, "the allocation counter does not count")
}

private func allocationsInBlocks(_ samples: [Float], _ blockSize: Int, combining: Int = 1) throws -> AllocationCount {
    checkCounter()
    var receiver = try Receiver(sampleRateHertz: 48_000, combining: combining)
    func hear(_ count: inout AllocationCount) {
        for first in stride(from: 0, to: samples.count, by: blockSize) {
            count.count {
                var frames = 0
                receiver.push(samples.span.extracting(first..<min(first + blockSize, samples.count))) { _ in frames += 1
                }
                return frames
            }
        }
    }
    // Until the receiver remembers the maximum number of frames, and its lists have grown to their sizes.
    var settling = AllocationCount()
    for _ in 0..<8 { hear(&settling) }
    var count = AllocationCount()
    for _ in 0..<3 { hear(&count) }
    return count
}

private func allocationsWithHoles() throws -> AllocationCount {
    checkCounter()
    let samples = noise()
    var receiver = try Receiver(sampleRateHertz: 48_000)
    receiver.push(samples.span) { _ in }
    var count = AllocationCount()
    for hole in [4_800, 480, 48_000, 1, 480_000, 4_800_000] {
        count.count {
            receiver.skip(hole) { _ in }
            return 0
        }
        for first in stride(from: 0, to: samples.count, by: 1_024) {
            count.count {
                receiver.push(samples.span.extracting(first..<min(first + 1_024, samples.count))) { _ in }
                return 0
            }
        }
    }
    return count
}

private func allocationsInBank() throws -> AllocationCount {
    checkCounter()
    let samples = noise()
    let interleaved = samples.indices.flatMap { [samples[$0], samples[samples.count - 1 - $0]] }
    let bank = try ReceiverBank(channelCount: 2, sampleRateHertz: 48_000)
    let blockSize = 2 * ReceiverBank.blockFrameCount(channelCount: 2)
    func hear(_ count: inout AllocationCount) {
        for first in stride(from: 0, to: interleaved.count, by: blockSize) {
            count.count {
                bank.push(interleaved.span.extracting(first..<min(first + blockSize, interleaved.count))) { _, _ in }
                return 0
            }
        }
    }
    var settling = AllocationCount()
    hear(&settling)
    var count = AllocationCount()
    hear(&count)
    return count
}
