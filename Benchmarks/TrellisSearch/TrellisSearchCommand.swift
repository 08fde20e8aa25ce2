import ArgumentParser
import Foundation

@main
struct TrellisSearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trellis-search",
        abstract: "Searches for the generators of the trellis code, and checks them.",
        subcommands: [SearchCommand.self, VerifyCommand.self, SimulateCommand.self],
        defaultSubcommand: SearchCommand.self)
}

/// Generators as octal numbers with commas between, least significant tone bit first.
struct OctalGenerators: ExpressibleByArgument {
    let masks: [UInt32]

    init?(argument: String) {
        let parts = argument.split(separator: ",")
        masks = parts.compactMap { UInt32($0, radix: 8) }
        guard !masks.isEmpty, masks.count == parts.count, masks.count <= 8 else { return nil }
    }

    /// The code, or a usage error if a mask does not fit.
    func code(memory: Int) throws -> TrellisCode {
        guard masks.allSatisfy({ $0 >> UInt32(memory + 2) == 0 }) else {
            throw ValidationError("A generator needs more than \(memory + 2) bits.")
        }
        return TrellisCode(memory: memory, generators: masks)
    }
}

struct CodeOptions: ParsableArguments {
    @Option(help: "ν, the number of state bits, 4 to 16.")
    var memory = 10

    @Option(name: .customLong("steps"), help: "Steps (tones) of a frame.")
    var steps = 44

    @Option(help: "Payload bits of a frame, over which Eb is counted.")
    var payloadBits = 64

    func validate() throws {
        guard (4...16).contains(memory) else { throw ValidationError("--memory must be 4 to 16.") }
        guard steps > memory / 2, payloadBits > 0 else {
            throw ValidationError("--steps must exceed half the memory, --payload-bits must be positive.")
        }
    }

    func operatingPoint(_ decibels: Double) -> OperatingPoint {
        OperatingPoint(bitEnergyDecibels: decibels, payloadBits: payloadBits, steps: steps)
    }
}

struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Minimises the union bound, or prints the spectrum of given generators.")

    @OptionGroup var options: CodeOptions

    @Option(help: "M, the number of tones: 8, 16, 32, 64 or 128.")
    var tones = 32

    @Option(help: "Seed of the walk.")
    var seed: UInt64 = 1

    @Option(help: "Seconds to search.")
    var seconds = 60.0

    @Option(help: "Candidates to count instead of seconds; repeats a run exactly.")
    var candidates: Int?

    @Option(name: .customLong("ebn0"), help: "Eb/N0 of the union bound, dB.")
    var bitEnergyDecibels = 4.5

    @Option(help: "Maximum weight counted; default ⌈ν/2⌉ + 5, four more than the free distance can be.")
    var maximumWeight: Int?

    @Option(name: .customLong("check"), help: "Octal generators to print the spectrum of, instead of searching.")
    var checked: [OctalGenerators] = []

    @Flag(help: "Also count the weights of whole tail-biting frames.")
    var frames = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard [8, 16, 32, 64, 128].contains(tones) else {
            throw ValidationError("--tones must be 8, 16, 32, 64 or 128.")
        }
    }

    func run() throws {
        let greatest = maximumWeight ?? (options.memory + 1) / 2 + 5
        let point = options.operatingPoint(bitEnergyDecibels)
        var codes = try checked.map { try $0.code(memory: options.memory) }
        if codes.isEmpty {
            codes = try [search(maximumWeight: greatest, point: point)]
        }
        let reports = codes.map {
            Report($0, maximumWeight: greatest, operatingPoint: point, countsFrames: frames)
        }
        print(json ? try Report.json(reports) : reports.map(\.text).joined(separator: "\n"))
    }

    private func search(maximumWeight: Int, point: OperatingPoint) throws -> TrellisCode {
        let pairwiseError = (0...maximumWeight).map {
            PairwiseError.constantAmplitude(distance: $0, toneEnergy: point.toneEnergy)
        }
        var search = Search(
            memory: options.memory, toneBits: tones.trailingZeroBitCount, pairwiseError: pairwiseError, seed: seed)
        let clock = ContinuousClock()
        let begin = clock.now
        if let candidates {
            search.run { $0 >= candidates }
        } else {
            let end = begin + .seconds(seconds)
            search.run { $0 % 256 == 0 && clock.now >= end }
        }
        guard let best = search.best else { throw ValidationError("No usable code within the given budget.") }
        if !json {
            print(
                "seed \(seed): \(search.candidates) candidates, \(search.starts) starts in \(clock.now - begin);",
                "best found after \(best.foundAfter)")
        }
        return TrellisCode(memory: options.memory, generators: best.code.echelonForm)
    }
}

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Compares the fast formulas with enumeration and independent sums.")

    @Option(help: "Seed of the random codes.")
    var seed: UInt64 = 1

    func run() throws {
        let failures = Verification.failures(seed: seed)
        for failure in failures { print(failure) }
        guard failures.isEmpty else { throw ExitCode.failure }
        print("seed \(seed): spectra, frame spectra and pairwise errors agree")
    }
}

struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Counts frame errors of codes over the same noise, ideal timing.")

    @OptionGroup var options: CodeOptions

    @Option(name: .customLong("code"), help: "Octal generators; give it once per code.")
    var codes: [OctalGenerators]

    @Option(name: .customLong("ebn0"), parsing: .upToNextOption, help: "Eb/N0 values, dB.")
    var bitEnergyDecibels = [3.75, 4.25]

    @Option(help: "Frames for each value.")
    var frames = 2000

    @Option(help: "Seed of payloads and noise.")
    var seed: UInt64 = 1

    @Flag(help: "Fade every tone independently (Rayleigh).")
    var rayleigh = false

    func run() throws {
        let codes = try codes.map { try $0.code(memory: options.memory) }
        guard Set(codes.map(\.toneCount)).count == 1 else {
            throw ValidationError("All codes must have the same number of tones.")
        }
        for decibels in bitEnergyDecibels {
            let simulation = FrameErrorSimulation(
                operatingPoint: options.operatingPoint(decibels), fades: rayleigh, frames: frames, seed: seed)
            for (code, errors) in zip(codes, simulation.frameErrors(of: codes)) {
                let rate = Double(errors) / Double(frames)
                let name = code.generators.map { String($0, radix: 8) }.joined(separator: ",")
                let deviation = (rate * (1 - rate) / Double(frames)).squareRoot()
                print(
                    String(format: "%.2f dB  %d/%d  %.4f ± %.4f  ", decibels, errors, frames, rate, deviation) + name)
            }
        }
    }
}
