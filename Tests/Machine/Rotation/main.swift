import EarshotBluetooth
import EarshotCoding
import EarshotDiscovery

// Broadcasts one random token after another by Bluetooth, and prints them: machine-rotation ADAPTER SECONDS COUNT

let arguments = CommandLine.arguments
guard arguments.count == 4, let seconds = Double(arguments[2]), let count = Int(arguments[3]) else {
    fatalError("usage: machine-rotation ADAPTER SECONDS COUNT")
}
let medium = BluetoothMedium(BluetoothMedium.Options(adapter: arguments[1]))
let reading = Task { for await event in medium.events(mode: .broadcast) { print(event) } }
for _ in 0..<count {
    let token = try Payload((0..<Payload.tokenCount).map { _ in UInt8.random(in: .min ... .max) })
    print("token \(token.hex)")
    await medium.broadcast(token)
    try await Task.sleep(for: .seconds(seconds))
}
reading.cancel()
await reading.value
await medium.waitUntilClosed()
