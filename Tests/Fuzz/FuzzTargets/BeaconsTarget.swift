import EarshotBluetooth
import NearbyWire

/// A frame that a parser accepts comes back from its own encoding, and so does the text of an identity.
func fuzzBeacons(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let kind = input.below(5)
    let rest = Array(input.remainder().prefix(255))
    if kind == 4 {
        fuzzBeaconText(String(decoding: rest, as: UTF8.self))
        return
    }
    let company: UInt16 = [0x004C, 0x0118, 0x00E0, 0xFFFF][kind]
    let advertisement = Advertisement(
        serviceData: [BeaconFrame.eddystoneService: rest], manufacturerData: [company: rest])
    for frame in BeaconFrame.frames(in: advertisement, includingIBeacons: true) {
        _ = frame.identifier.map { "\($0)" }
        guard let sent = frame.advertisement else { continue }
        let again = BeaconFrame.frames(in: sent, includingIBeacons: true)
        // An impossible power is unknown, and the encoder sends a typical one.
        let isSame =
            again == [frame]
            || frame.strengthAtOneMetreDecibelMilliwatts == nil && again.count == 1
                && again.first?.identifier == frame.identifier
        require(isSame, "\(frame) became \(again)")
    }
}

/// An identity or an address from a command line survives its way through the bytes that are sent.
private func fuzzBeaconText(_ text: String) {
    if let beacon = EddystoneURL(url: text, strengthAtOneMetreDecibelMilliwatts: -59),
        let sent = BeaconFrame.eddystoneURL(beacon).advertisement
    {
        let again = BeaconFrame.frames(in: sent, includingIBeacons: true)
        require(again == [.eddystoneURL(beacon)], "\(text) became \(again)")
    }
    do throws(BeaconTextError) {
        let identifier = try BeaconIdentifier(text: text)
        require((try? BeaconIdentifier(text: "\(identifier)")) == identifier, "\(text) became \(identifier)")
        let frame = BeaconFrame(identifier, strengthAtOneMetreDecibelMilliwatts: -59)
        require(frame?.identifier == identifier, "\(text) became \(frame.map { "\($0)" } ?? "no frame")")
    } catch {
        require(!error.description.isEmpty, "\(text): nothing is said")
    }
}
