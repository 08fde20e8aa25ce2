import EarshotPush
import EarshotSystem

/// What local push has on the disk.
struct PushFiles {
    let configurations: PushConfigurationStore
    let states: PushStateStore
    let locator: ProviderLocator
    /// The name of an app's file without its extension.
    let name: @Sendable (String) -> String

    init(_ options: AgentOptions, _ push: PushOptions, _ store: StateStore) {
        configurations = PushConfigurationStore(folder: push.folder)
        states = PushStateStore(stateFolder: store.folder.path, log: options.log)
        locator = ProviderLocator(folders: push.providerFolders ?? ProviderLocator.systemFolders)
        name = { String(store.fileName($0).dropLast(".json".count)) }
    }
}
