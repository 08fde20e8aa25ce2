import EarshotConsole
import Synchronization

/// Lines of many inputs, worked on at the same time, printed in the order of the inputs.
///
/// What belongs to the first input that is not over is printed at once; what belongs to later ones waits.
final class OrderedOutput: Sendable {
    struct Line: Sendable {
        var stream = StandardStream.output
        let text: String
    }

    private struct State {
        /// The input whose lines need not wait.
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

    /// Lines of an input that is not over.
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

    /// The input is over: those behind it may speak.
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
        // One write for neighbours on the same stream.
        var first = 0
        while first < lines.count {
            let stream = lines[first].stream
            let run = lines[first...].prefix { $0.stream == stream }
            stream.write(run.map { $0.text + "\n" }.joined())
            first += run.count
        }
    }
}
