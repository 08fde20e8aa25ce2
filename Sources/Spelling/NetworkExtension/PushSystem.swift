import Dispatch
package import EarshotPush
import Foundation
import NearbyWire

/// The shared state of a process's managers.
package struct PushSystem: Sendable {
    let app: String
    let store: PushConfigurationStore
    let client: PushClient
    let deliveries: PushDeliveries
    let programFolder: String?
    private let queue = DispatchQueue(label: "earshot.push.store")

    private static let shared = PushSystem(app: PushClient.shared.app, store: PushConfigurationStore(), client: .shared)

    /// Tests replace it.
    @TaskLocal package static var replacement: PushSystem?

    static var current: PushSystem { replacement ?? shared }

    package init(
        app: String, store: PushConfigurationStore, client: PushClient, programFolder: String? = ProgramFolder.system
    ) {
        self.app = app
        self.store = store
        self.client = client
        self.programFolder = programFolder
        deliveries = PushDeliveries(client)
    }

    /// Works on another queue, and answers on the main queue when the states of the providers are known.
    func perform<Value: Sendable>(
        _ done: @escaping @Sendable (Result<Value, any Error>) -> Void, _ work: @escaping @Sendable () throws -> Value
    ) {
        queue.async {
            let result = Result { try work() }.mapError { error -> any Error in
                switch error as? PushConfigurationError {
                case nil: error
                case .invalid(let sentence)?: NEAppPushManagerError(.configurationInvalid, sentence)
                case .missing(let identifier)?:
                    NEAppPushManagerError(
                        .configurationNotLoaded, "There is no saved configuration \(identifier). Save it first.")
                case .unusable(let sentence)?: NEAppPushManagerError(.internalError, sentence)
                }
            }
            guard case .success = result else { return DispatchQueue.main.async { done(result) } }
            client.settled { DispatchQueue.main.async { done(result) } }
        }
    }
}
