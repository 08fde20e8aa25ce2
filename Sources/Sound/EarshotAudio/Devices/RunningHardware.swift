import Glibc

/// The kernel's report about converters in use: `/proc/asound/card*/pcm*{c,p}/sub*/hw_params`.
///
/// A sound server accepts any rate from a program and does not report its own. The hardware that it uses does.
enum RunningHardware {
    /// The rate in hertz of running hardware: `expected` if any converter runs at it, nil if none runs.
    static func rateHertz(_ direction: PCM.Direction, expected: Int, under root: String = "/proc/asound")
        -> Int?
    {
        let letter: Character = direction == .capture ? "c" : "p"
        let rates = entries(root).filter { $0.hasPrefix("card") }.flatMap { card in
            entries("\(root)/\(card)").filter { $0.hasPrefix("pcm") && $0.last == letter }.flatMap { pcm in
                entries("\(root)/\(card)/\(pcm)").filter { $0.hasPrefix("sub") }.compactMap { sub in
                    runningRateHertz("\(root)/\(card)/\(pcm)/\(sub)/hw_params")
                }
            }
        }
        return rates.contains(expected) ? expected : rates.first
    }

    /// The number in a line such as "rate: 48000 (48000/1)"; the file of an idle converter contains "closed".
    private static func runningRateHertz(_ path: String) -> Int? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = fread(&bytes, 1, bytes.count, file)
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("rate: ") }
        return line.flatMap { Int($0.dropFirst(6).prefix(while: \.isNumber)) }
    }

    private static func entries(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { names.append(String(cString: $0)) }
            }
        }
        return names.sorted()
    }
}
