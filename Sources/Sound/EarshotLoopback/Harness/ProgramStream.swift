/// The program for a player: the next samples, as many as fit.
///
/// It stores one token at a time. Synthesis takes some 30 ns a sample, all of it at the start of the token: a playback
/// thread needs a buffer of a few times 10 ms ahead of it.
package struct ProgramStream: Sendable {
    /// The number of samples delivered so far.
    package private(set) var position = 0

    private let program: LoopbackProgram
    private var nextItem = 0
    private var sounding: [Float] = []
    private var soundingStart = 0

    /// The program from its beginning.
    package init(_ program: LoopbackProgram) {
        self.program = program
    }

    /// Writes the next samples to the beginning of `block`.
    /// - Returns: how many; fewer than fit only at the end of the program.
    package mutating func read(into block: inout MutableSpan<Float>) -> Int {
        let count = min(block.count, program.sampleCount - position)
        var filled = 0
        while filled < count {
            let soundingEnd = soundingStart + sounding.count
            if position < soundingEnd {
                let length = min(count - filled, soundingEnd - position)
                for offset in 0..<length { block[filled + offset] = sounding[position - soundingStart + offset] }
                advance(length, &filled)
                continue
            }
            let nextStart =
                nextItem < program.itemCount ? program.start(of: program.item(nextItem)) : program.sampleCount
            if position == nextStart, nextItem < program.itemCount {
                sounding = program.samples(of: program.item(nextItem))
                soundingStart = position
                nextItem += 1
                continue
            }
            let length = min(count - filled, nextStart - position)
            for offset in 0..<length { block[filled + offset] = 0 }
            advance(length, &filled)
        }
        return count
    }

    private mutating func advance(_ length: Int, _ filled: inout Int) {
        position += length
        filled += length
    }
}
