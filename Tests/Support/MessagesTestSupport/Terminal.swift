import Glibc
import Synchronization

/// A pseudo-terminal, with the user's keyboard and screen.
package final class Terminal: Sendable {
    private struct State {
        var keyboard: CInt
        var screen = ""
    }

    /// The descriptor for a program's standard input and standard error.
    package let device: CInt
    private let state: Mutex<State>
    /// TIOCSPTLCK and TIOCGPTN: Swift does not import these macros.
    private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

    package init() throws {
        // As grantpt, unlockpt and ptsname do, which Swift does not import.
        let keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        var (isLocked, number): (CInt, CUnsignedInt) = (0, 0)
        guard keyboard >= 0, ioctl(keyboard, Self.setLock, &isLocked) == 0,
            ioctl(keyboard, Self.getNumber, &number) == 0
        else { throw TerminalError(code: errno) }
        device = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        state = Mutex(State(keyboard: keyboard))
        guard device >= 0 else { throw TerminalError(code: errno) }
    }

    deinit {
        hangUp()
        close(device)
    }

    struct TerminalError: Error {
        var code: CInt
    }

    package func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(state.withLock(\.keyboard), bytes, bytes.count)
    }

    /// Closes the user's side.
    package func hangUp() {
        state.withLock { state in
            if state.keyboard >= 0 { close(state.keyboard) }
            state.keyboard = -1
        }
    }

    /// Waits until the screen ends with a text, then wipes the screen.
    /// - Returns: the screen without carriage returns; nil if the text does not come within 20 s.
    package func read(until end: String) async -> String? {
        for _ in 0..<2_000 {
            if let screen = screen(endingWith: end) { return screen }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return nil
    }

    private func screen(endingWith end: String) -> String? {
        state.withLock { state in
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = Glibc.read(state.keyboard, &bytes, bytes.count)
            if count > 0 { state.screen += String(decoding: bytes[..<count].filter { $0 != 13 }, as: UTF8.self) }
            guard state.screen.hasSuffix(end) else { return nil }
            defer { state.screen = "" }
            return state.screen
        }
    }
}
