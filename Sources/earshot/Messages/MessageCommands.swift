import ArgumentParser
import EarshotConsole
import Glibc

struct PublishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Publish a message to whoever is within earshot.")

    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

    func run() throws { try MessageProgram.become(["publish"] + arguments) }
}

struct SubscribeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscribe", abstract: "Get the messages that are published within earshot.")

    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

    func run() throws { try MessageProgram.become(["subscribe"] + arguments) }
}

/// `earshot-messages`, which lies beside this program and takes its place.
enum MessageProgram {
    private static let name = "earshot-messages"

    /// Only comes back with an error.
    static func become(_ arguments: [String]) throws -> Never {
        let path = try beside()
        var pointers: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        pointers.append(nil)
        execv(path, pointers)
        let reason = String(cString: strerror(errno))
        throw Failure(
            .unavailable,
            "Cannot start '\(path.escapedForTerminal)', which does this: \(reason). 'make messages' builds it beside earshot, 'make install-messages' installs it."
        )
    }

    private static func beside() throws -> String {
        guard let own = realpath("/proc/self/exe", nil) else {
            throw Failure(.unavailable, "Cannot find out where earshot lies: \(String(cString: strerror(errno))).")
        }
        defer { free(own) }
        let path = String(cString: own)
        return path[...(path.lastIndex(of: "/") ?? path.startIndex)] + name
    }
}
