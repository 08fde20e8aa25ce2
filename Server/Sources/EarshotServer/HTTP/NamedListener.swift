import Glibc
import Hummingbird
import NIOCore
import ServiceLifecycle

/// Names a listener in its error, because its address may be a default that the operator did not type.
struct NamedListener<Application: ApplicationProtocol>: Service {
    let application: Application
    let name: String
    let option: String
    let address: String

    init(application: Application, name: String, option: String, _ address: String) {
        (self.application, self.name, self.option, self.address) = (application, name, option, address)
    }

    func run() async throws {
        do {
            try await application.run()
        } catch is ServiceGroupError {
            // The kernel refused a connection with an error after which the network library closes its listener.
            throw AdministrationError(
                description: "the listener for \(name) at \(address) ended: start the service again")
        } catch {
            throw AdministrationError(
                description: "the listener for \(name) cannot use \(address) (\(option)): \(Self.reason(error))")
        }
    }

    /// The network library's errors name its functions, and no remedy.
    private static func reason(_ error: any Error) -> String {
        if let error = error as? SocketAddressError.UnknownHost { return "There is no host '\(error.host)'." }
        guard let code = (error as? IOError)?.errnoCode else { return "\(error)" }
        let remedy =
            switch code {
            case EADDRINUSE:
                " Another program listens there. If it is earshotd (systemctl status earshotd), a second one needs other ports: --port and "
                    + "--operations-port."
            case EACCES: " Choose a port from 1024 on: those below need privileges."
            case EADDRNOTAVAIL: " This machine has no such address."
            default: ""
            }
        return String(cString: strerror(code)) + "." + remedy
    }
}
