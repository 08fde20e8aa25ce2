import EarshotConsole
import Synchronization

/// Prints the lines of many inputs, which are decoded at the same time, in the order of the inputs.
///
/// Lines of the first unfinished input are printed at once; lines of later inputs wait.
final class OrderedOutput: Sendable {
    struct Line: Sendable {
        var stream = StandardStream.output
        let text: String
    }

    private struct State {
        /// The index of the first unfinished input.
        var head = 0
        var waiting: [[Line]]
        var isOver: [Bool]
    }

    private let progress: ProgressBar
    private let state: Mutex<State>

    init(inputCount: Int, progress: ProgressBar) {
        self.progress = progress
        state = Mutex(
            State(
                waiting: Array(repeating: [], count: inputCount), isOver: Array(repeating: false, count: inputCount)))
    }

    /// Prints or keeps lines of an unfinished input.
    func print(_ lines: [Line], of input: Int) {
        guard !lines.isEmpty else { return }
        state.withLock { state in
            if state.head == input {
                write(lines)
            } else {
                state.waiting[input] += lines
            }
        }
    }

    /// Marks an input as finished and prints the waiting lines of the inputs after it.
    func finish(_ input: Int) {
        state.withLock { state in
            state.isOver[input] = true
            while state.head < state.isOver.count, state.isOver[state.head] {
                state.head += 1
                guard state.head < state.isOver.count else { break }
                write(state.waiting[state.head])
                state.waiting[state.head] = []
            }
        }
    }

    private func write(_ lines: [Line]) {
        guard !lines.isEmpty else { return }
        progress.clear()
        // Consecutive lines for the same stream go out in one write.
        var first = 0
        while first < lines.count {
            let stream = lines[first].stream
            let run = lines[first...].prefix { $0.stream == stream }
            stream.write(run.map { $0.text + "\n" }.joined())
            first += run.count
        }
    }
}
