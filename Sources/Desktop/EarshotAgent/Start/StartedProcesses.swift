import Foundation
import Glibc

/// The running processes that this agent or an earlier one has started as an app.
enum StartedProcesses {
    /// `AppStarter` makes each of them the leader of a session, with the app's name in its environment.
    static func of(_ app: String) -> [pid_t] {
        let wanted = Data("EARSHOT_APP_ID=\(app)".utf8)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { process in
            guard process > 1, getsid(process) == process,
                let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ")
            else { return false }
            return environment.split(separator: 0).contains { $0 == wanted }
        }
    }
}
