import EarshotAgent
import EarshotBluetooth
import EarshotNetworks
import EarshotPush

/// Compiled, not run: this code uses the machine's radio and networks, and changes the user's configuration.
enum AgentCode {
    static func watch() async {
        for await situation in SystemNetworks().situations() {
            print(situation.primary as Any, situation.source)
        }
    }

    static func run(in folder: String) throws {
        let options = AgentOptions(
            stateFolder: folder, media: { [BluetoothMedium(.init(power: .low))] }, log: { print($0) })
        let agent = try Agent(options, socketPath: folder + "/agent.sock")
        agent.start()
    }

    static func configure() throws {
        var configuration = PushConfiguration(app: "com.example.SimplePush")
        configuration.ssids = [Array("Cruise Ship Wi-Fi".utf8)]
        configuration.provider = "com.example.SimplePush.Provider"
        configuration.isEnabled = true
        try PushConfigurationStore().save(configuration)
    }
}
