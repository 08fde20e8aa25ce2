import EarshotBasics
import EarshotChannel

/// The program as it arrives at the other end of the air, before noise, block by block.
///
///     y[m] = Σ over present sounds: channel of x((m − m₀)·(1 + ε)),   m₀·(1 + ε₀) = the start of x in the program
///
/// ε₀ is the difference of the clocks; ε is that and the motion together.
struct AirMixer: SoundSource {
    private struct Sound {
        var start: Int
        var samples: [Float]
        var end: Int { start + samples.count }
    }

    private let program: LoopbackProgram
    private let medium: AirMedium
    private let sampleCount: Int
    private let tokenAir: PreparedAir
    /// The same channel at rest: sweeps measure clocks, so they must not move.
    private let sweepAir: PreparedAir
    private var placeGenerator: SeededGenerator
    private let sweepPlace: UInt64
    private var sounding: [Sound] = []
    private var nextItem = 0
    private var position = 0

    init(_ program: LoopbackProgram, _ medium: AirMedium) {
        self.program = program
        self.medium = medium
        var air = medium.channel.air
        tokenAir = PreparedAir(air, sampleRateHertz: program.sampleRateHertz)
        (air.motion, air.relativeOffset, air.clockSpread) = (nil, 0, 0)
        sweepAir = PreparedAir(air, sampleRateHertz: program.sampleRateHertz)
        sampleCount = Int(Double(program.sampleCount) / (1 + medium.clockOffset))
        placeGenerator = SeededGenerator(seed: program.order.seed &+ 2)
        sweepPlace = placeGenerator.next()
    }

    mutating func read(into block: inout MutableSpan<Float>) -> Int {
        let count = min(block.count, sampleCount - position)
        let end = position + count
        while nextItem < program.itemCount, case let item = program.item(nextItem),
            Double(program.start(of: item)) / (1 + medium.clockOffset) <= Double(end)
        {
            sounding.append(sound(of: item, index: nextItem))
            nextItem += 1
        }
        for index in 0..<count { block[index] = 0 }
        for sound in sounding {
            for index in max(position, sound.start)..<max(position, sound.start, min(end, sound.end)) {
                block[index - position] += sound.samples[index - sound.start]
            }
        }
        sounding.removeAll { $0.end <= end }
        position = end
        return count
    }

    private mutating func sound(of item: LoopbackProgram.Item, index: Int) -> Sound {
        let clock = 1 + medium.clockOffset
        let (air, motion, place): (PreparedAir, Double, UInt64) =
            switch item {
            case .sweep: (sweepAir, 0, sweepPlace)
            case .token: (tokenAir, medium.motionOffset(index), placeGenerator.next())
            }
        let exactStart = Double(program.start(of: item)) / clock
        let start = exactStart.rounded(.up)
        // The first sample may be after the start. A tiny margin avoids a cut if that is more than a sample.
        let delay = min(max((start - exactStart) * clock, 0), 1 - 1e-9)
        var samples = program.samples(of: item)
        if clock != 1 || motion != 0 {
            let scale = TimeScale(relativeOffset: clock * (1 + motion) - 1, fractionalDelay: delay)
            samples = scale.apply(to: samples)
        }
        let seconds = Double(samples.count) / Double(program.sampleRateHertz)
        var generator = SeededGenerator(seed: place)
        var sound = air.talkerSound(StoredSound(samples), seconds: seconds, &generator)
        return Sound(start: Int(start), samples: sound.readAll())
    }
}
