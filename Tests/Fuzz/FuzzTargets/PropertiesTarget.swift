import EarshotPush
import Foundation
import NearbyWire

/// A property list survives its own JSON and Foundation's values. A configuration that the parser
/// understands is valid, and survives its encoding.
func fuzzProperties(_ bytes: [UInt8]) {
    let json = Data(bytes)
    if let list = PropertyList(json: json) {
        let again = PropertyList(json: list.json)
        require(again == list, "\(list) became \(again.map { "\($0)" } ?? "nothing")")
        let values = try? PropertyList(list.value, keyPath: "")
        require(values == list, "\(list) became \(values.map { "\($0)" } ?? "nothing") in Foundation")
    }
    guard let configuration = PushConfigurationStore.configuration(json) else { return }
    require(configuration.flaw == nil, "\(configuration.flaw ?? "")")
    guard let written = try? JSONEncoder().encode(configuration) else {
        fatalError("\(configuration) cannot be written")
    }
    require(PushConfigurationStore.configuration(written) == configuration, "\(configuration) changed")
}
