import EarshotNetworks
import EarshotPush
import Foundation
import Glibc
import NearbyWire

/// What local push follows: folders, the network and the machine's sleep.
extension PushSupervisor {
    func watchConfigurations() {
        surroundings.configurations = watch(files.configurations.path)
        if surroundings.configurations == nil {
            log(
                "cannot watch \(files.configurations.path): \(String(cString: strerror(errno)).lowercased()); it looks every "
                    + "\(push.times.look.formatted()) s instead")
        }
    }

    /// Follows the network, the machine's sleep and the providers' folders while any configuration is enabled.
    func follow() {
        let isNeeded = records.values.contains { $0.configuration.isEnabled && !$0.isRemoved }
        guard isNeeded else {
            return surroundings.rest()
        }
        let input = input
        if surroundings.following.isEmpty {
            let (networks, sleeps) = (push.networks, push.sleeps)
            surroundings.following.append(
                Task { for await situation in networks.situations() { input.yield(.situation(situation)) } })
            if let sleeps {
                surroundings.following.append(
                    Task { for await isAsleep in sleeps.sleeps() { input.yield(.isAsleep(isAsleep)) } })
            }
        }
        for folder in files.locator.folders where surroundings.providers[folder] == nil {
            surroundings.providers[folder] = watch(folder)
        }
    }

    func watch(_ folder: String) -> FolderWatch? {
        push.watch(folder, surroundings.queue) { [input] in input.yield(.configurationsChanged) }
    }

    /// A user has 128 inotify instances by default, for all programs. While none is left, everything is read again from time to time.
    func lookLater() {
        let isFollowing = !surroundings.following.isEmpty
        let isBlind =
            surroundings.configurations == nil
            || isFollowing && files.locator.folders.contains { surroundings.providers[$0] == nil }
            || surroundings.checkedPlaces == nil
                && records.values.contains { $0.configuration.isEnabled && matches($0) }
        guard isBlind, surroundings.looking == nil else { return }
        surroundings.looking = later(push.times.look, .lookDue)
    }

    /// The program of a provider in its present state. The checked files are watched from now on.
    func program(of provider: String) throws(ProviderLocator.Refusal) -> ProviderLocator.Program {
        if surroundings.checkedPlaces == nil {
            let input = input
            surroundings.checkedPlaces = CheckedPlaces(queue: surroundings.queue) {
                input.yield(.configurationsChanged)
            }
        }
        return try files.locator.program(of: provider, watchedBy: surroundings.checkedPlaces)
    }
}
