import EarshotDiscovery
import EarshotMessages
import Foundation
import MessagesTestSupport
import NearbyWire
import TestSupport
import Testing

@Suite struct BackgroundManifestTests {
    private static func manifest(_ text: String) throws -> BackgroundManifest {
        let folder = try ScratchFolder()
        try folder.write(text, to: "app/app.nearby.json")
        return BackgroundManifest.load(app: "app", programFolder: nil, configurationFolder: folder.path)
    }

    private static func operation(
        _ mode: DiscoveryMode, content: Data? = nil, iBeacons: Bool? = nil, lowPower: Bool = true
    ) -> BackgroundOperation {
        BackgroundOperation(
            key: "key", service: "http://a", content: content, mode: mode,
            beacons: iBeacons.map { BackgroundOperation.Beacons(includesIBeacons: $0, prefersLowPower: lowPower) })
    }

    /// The table of the documentation: only the directions in use need a mode, and
    /// iBeacons or high power need `location`.
    @Test(arguments: [
        (operation(.both), ["bluetooth-central", "bluetooth-peripheral"]), (operation(.scan), ["bluetooth-central"]),
        (operation(.broadcast, content: Data()), ["bluetooth-peripheral"]),
        (operation([], iBeacons: false), ["bluetooth-central"]),
        (operation([], iBeacons: false, lowPower: false), ["bluetooth-central", "location"]),
        (operation([], iBeacons: true), ["bluetooth-central", "location"]),
    ]) func eachModeIsNeeded(operation: BackgroundOperation, modes: [String]) throws {
        for missing in modes {
            let declared = modes.filter { $0 != missing }
            let manifest = try Self.manifest(#"{"UIBackgroundModes":\#(declared)}"#)
            let refusal = try #require(manifest.refusal(of: operation))
            #expect(refusal.contains("app.nearby.json does not declare \(missing) in UIBackgroundModes"))
            #expect(declared.allSatisfy { !refusal.contains("declare \($0) ") })
        }
        #expect(try Self.manifest(#"{"UIBackgroundModes":\#(modes)}"#).refusal(of: operation) == nil)
    }

    @Test(arguments: [
        ("{", "it is not of the form {\"NSMicrophoneUsageDescription\":\"…\"}"),
        (#"{"UIBackgroundModes":"bluetooth-central"}"#, "the value of UIBackgroundModes has a wrong type"),
        (
            #"{"UIBackgroundModes":["bluetooth-central"],"EarshotCommand":"/usr/bin/app"}"#,
            "the value of EarshotCommand has a wrong type"
        ),
    ]) func aRefusalSaysWhyAFileIsIgnored(text: String, reason: String) throws {
        let refusal = try #require(try Self.manifest(text).refusal(of: Self.operation(.scan)))
        #expect(refusal.contains("app.nearby.json is ignored: \(reason). Correct it, or"), "\(refusal)")
    }

    @Test func onlyAnAbsoluteCommandCounts() throws {
        #expect(try Self.manifest(#"{"EarshotCommand":["/usr/bin/app","-b"]}"#).command == ["/usr/bin/app", "-b"])
        #expect(try Self.manifest(#"{"EarshotCommand":["app"]}"#).command == nil)
        #expect(try Self.manifest(#"{"EarshotCommand":[]}"#).command == nil)
        #expect(try Self.manifest("{}").command == nil)
        #expect(try Self.manifest("no").modes.isEmpty)
    }
}
