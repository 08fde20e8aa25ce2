import Dispatch
import EarshotAgent
import EarshotDiscovery
import EarshotNetworks
import Foundation
import Glibc
import MessagesTestSupport

/// The agent with local push. A file names its network: the name of a Wi-Fi network, or nothing. The messages for its apps are in the
/// folder HOME/messages, see `FolderService`.
///
///     push-agent HOME
///
/// It uses HOME/config, HOME/state, HOME/providers and HOME/run/agent.sock, and follows HOME/network.
@main enum PushAgent {
    static func main() throws {
        let home = CommandLine.arguments[1]
        var options = AgentOptions(stateFolder: "\(home)/state", media: { [Air().medium(.bluetooth)] }) { line in
            let bytes = Array("\(Date().timeIntervalSince1970) \(line)\n".utf8)
            _ = write(STDERR_FILENO, bytes, bytes.count)
        }
        options.internals.configurationFolder = "\(home)/config"
        options.internals.service = { _ in FolderService(folder: "\(home)/messages") }
        options.push = PushOptions(networks: FileNetworks(path: "\(home)/network"))
        options.push?.folder = "\(home)/config/earshot/push"
        options.push?.providerFolders = ["\(home)/providers"]
        options.push?.callsPerMinute = 60_000
        options.startIntervalSeconds = 0.2
        options.internals.resumptionSeconds = 0.1
        let agent = try Agent(options, socketPath: "\(home)/run/agent.sock")
        agent.start()
        dispatchMain()
    }
}

struct FileNetworks: NetworkWatching {
    let path: String

    func situations() -> AsyncStream<NetworkSituation> {
        let (stream, continuation) = AsyncStream.makeStream(of: NetworkSituation.self)
        let (path, last) = (path, Last())
        Thread.detachNewThread {
            while true {
                let name = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
                if last.name != name {
                    last.name = name
                    let network = name.isEmpty ? nil : Network.wifi(ssid: Array(name.utf8))
                    continuation.yield(NetworkSituation(primary: network, source: .kernel))
                }
                usleep(20_000)
            }
        }
        return stream
    }

    /// Used by one thread.
    private final class Last: @unchecked Sendable {
        var name: String?
    }
}
