import CALSA
import Glibc

/// The messages that ALSA would print on standard error, caught for our error messages instead.
enum ALSAMessages {
    /// Runs `body` and returns its result and the first line that ALSA wrote meanwhile on this thread: the cause. Later
    /// lines are consequences.
    static func collecting<Result>(_ body: () -> Result) -> (result: Result, said: String) {
        let before = pthread_getspecific(key)
        let note = Note()
        let pointer = Unmanaged.passUnretained(note).toOpaque()
        pthread_setspecific(key, pointer)
        let handler = snd_lib_error_set_local(handle)
        let result = withExtendedLifetime(note) { body() }
        snd_lib_error_set_local(handler)
        pthread_setspecific(key, before)
        return (result, note.text)
    }

    private final class Note {
        var text = ""
    }

    /// The thread-specific key of the note that `collecting` fills.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private static let handle: snd_local_error_handler_t = { _, _, _, _, format, arguments in
        guard let pointer = pthread_getspecific(key), let format, let arguments else { return }
        let note = Unmanaged<Note>.fromOpaque(pointer).takeUnretainedValue()
        guard note.text.isEmpty else { return }
        var line = [CChar](repeating: 0, count: 240)
        vsnprintf(&line, line.count, format, arguments)
        note.text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
