import Foundation
import Glibc

/// The app of a process.
package enum ApplicationIdentifier {
    /// `EARSHOT_APP_ID`, or the name of the program.
    package static var system: String {
        of(ProcessInfo.processInfo.environment, programName: CommandLine.arguments.first ?? "")
    }

    package static func of(_ environment: [String: String], programName: String) -> String {
        if let name = environment["EARSHOT_APP_ID"], !name.isEmpty { return name }
        return programName.split(separator: "/").last.map(String.init) ?? "earshot"
    }
}

/// The folder of this process's program.
package enum ProgramFolder {
    /// nil if the kernel does not report it.
    package static var system: String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        let bytes = path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return String(decoding: bytes[..<slash], as: UTF8.self)
    }
}
