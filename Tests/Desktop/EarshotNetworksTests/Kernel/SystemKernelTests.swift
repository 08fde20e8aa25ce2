import Foundation
import Glibc
import TestSupport
import Testing

@testable import EarshotNetworks

@Suite("The kernel of this machine", .apart)
struct SystemKernelTests {
    /// The rows of the kernel's own table of IPv4 routes.
    private static func defaultRouteNames() throws -> Set<String> {
        let table = try String(contentsOfFile: "/proc/net/route", encoding: .utf8)
        let rows = table.split(separator: "\n").dropFirst().map { $0.split(separator: "\t") }
        return Set(rows.filter { $0.count > 7 && $0[1] == "00000000" && $0[7] == "00000000" }.map { String($0[0]) })
    }

    @Test("it lists the links and the default routes that /proc lists")
    func picture() throws {
        let picture = try SystemKernel().picture()
        let names = try FileManager.default.contentsOfDirectory(atPath: "/sys/class/net")
        #expect(Set(names).isSubset(of: picture.links.map(\.name)))
        let byIndex = Dictionary(uniqueKeysWithValues: picture.links.map { ($0.index, $0.name) })
        let defaults = picture.routes.filter { $0.isDefault && !$0.isVersion6 }.compactMap { byIndex[$0.link] }
        #expect(try Set(defaults) == Self.defaultRouteNames())
        #expect(picture.links.first { $0.name == "lo" }?.network == nil)
    }

    /// The netlink sockets of this process. Other tests open descriptors of other kinds at the same time.
    private static func netlinkSocketCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { CInt($0) }.count {
            var (address, size) = (sockaddr(), socklen_t(MemoryLayout<sockaddr>.size))
            return getsockname($0, &address, &size) == 0 && address.sa_family == sa_family_t(AF_NETLINK)
        }
    }

    @Test("1,000 pictures leave no socket open, and neither do 20 receptions")
    func descriptors() async throws {
        _ = try SystemKernel().picture()
        let before = try Self.netlinkSocketCount()
        for _ in 0..<1_000 { _ = try SystemKernel().picture() }
        for _ in 0..<20 { SystemKernel().receiveChanges {}.cancel() }
        for _ in 0..<600 where try Self.netlinkSocketCount() > before { try await Task.sleep(for: .milliseconds(50)) }
        #expect(try Self.netlinkSocketCount() <= before)
    }

    @Test("a card is wired if it has a device, and is neither Wi-Fi nor a modem")
    func cards() throws {
        let scratch = try Scratch()
        let folder = scratch.url
        func make(_ name: String, _ parts: [String], _ uevent: String = "INTERFACE=x\n") throws {
            for part in parts {
                try FileManager.default.createDirectory(
                    at: folder.appendingPathComponent("\(name)/\(part)"), withIntermediateDirectories: true)
            }
            try scratch.save(Data(uevent.utf8), "\(name)/uevent")
        }
        try make("eth0", ["device"])
        try make("veth0", ["queues"])
        try make("wlan0", ["device", "wireless"], "DEVTYPE=wlan\n")
        try make("wlan1", ["device", "phy80211"])
        try make("wwan0", ["device"], "DEVTYPE=wwan\nINTERFACE=wwan0\n")
        let names = ["eth0", "veth0", "wlan0", "wlan1", "wwan0", "absent", "..", "../eth0", ""]
        #expect(names.filter { NetworkCard.isWired($0, in: folder.path) } == ["eth0"])
    }
}
