import Dispatch
import EarshotNetworks
import NearbyWire

/// What local push follows: the network, the machine's sleep, and files.
struct PushSurroundings {
    let queue = DispatchQueue(label: "earshot.agent.push.files")
    var situation: NetworkSituation?
    var isAsleep = false
    /// Whether a provider's program may have changed.
    var areProgramsChanged = false
    var configurations: FolderWatch?
    var providers: [String: FolderWatch] = [:]
    /// Watches all files and folders of the programs' check.
    var checkedPlaces: CheckedPlaces?
    var following: [Task<Void, Never>] = []
    /// The pause before the next look, while the system cannot watch some of the folders.
    var looking: Task<Void, Never>?

    /// From now on it follows only the configurations.
    mutating func rest() {
        for task in following { task.cancel() }
        (following, providers, checkedPlaces, situation) = ([], [:], nil, nil)
    }
}
