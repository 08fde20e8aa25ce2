/// An object that this program exports: other programs read its properties and call its methods.
///
/// The connection itself answers `org.freedesktop.DBus.Properties`, `Introspectable`, and `ObjectManager` if asked to.
package struct DBusObject: Sendable {
    /// Answers a call. It runs on the connection's thread, so it must not block. If it throws `noReply`, the caller gets no answer.
    package typealias Method = @Sendable (DBusCall) throws(DBusError) -> [DBusValue]

    /// The properties and methods of one interface.
    package struct Interface: Sendable {
        /// The properties, which other programs can read but not set.
        package var properties: [String: DBusValue]
        package var methods: [String: Method]

        package init(properties: [String: DBusValue] = [:], methods: [String: Method] = [:]) {
            self.properties = properties
            self.methods = methods
        }
    }

    /// The interfaces by their names.
    package var interfaces: [String: Interface]
    /// Whether the object lists the exported objects below it by `org.freedesktop.DBus.ObjectManager`.
    package var managesObjects: Bool

    package init(_ interfaces: [String: Interface] = [:], managesObjects: Bool = false) {
        self.interfaces = interfaces
        self.managesObjects = managesObjects
    }

    /// All properties, as `GetManagedObjects` lists them.
    var managedProperties: DBusValue {
        var listed: [DBusValue: DBusValue] = [:]
        for (name, interface) in interfaces { listed[.string(name)] = .properties(interface.properties) }
        return .dictionary(key: "s", value: "a{sv}", listed)
    }

    /// Answers a call.
    /// - Parameter objects: the exported objects below this one, by path.
    func answer(_ call: DBusCall, objects: () -> [String: DBusObject]) throws(DBusError) -> [DBusValue] {
        if let method = interfaces[call.interface]?.methods[call.member] { return try method(call) }
        switch (call.interface, call.member) {
        case ("org.freedesktop.DBus.Properties", "GetAll"):
            // An interface without properties is not an error: every object has some.
            return [.properties(try interface(call)?.properties ?? [:])]
        case ("org.freedesktop.DBus.Properties", "Get"):
            guard call.arguments.count == 2, let name = call.arguments[1].text,
                let value = try interface(call)?.properties[name]
            else {
                throw DBusError.refused(
                    name: "org.freedesktop.DBus.Error.UnknownProperty", text: "There is no such property.")
            }
            return [.variant(value)]
        case ("org.freedesktop.DBus.Properties", "Set"):
            throw DBusError.refused(
                name: "org.freedesktop.DBus.Error.PropertyReadOnly", text: "The properties are read-only.")
        case ("org.freedesktop.DBus.Introspectable", "Introspect"): return [.string(introspection)]
        case ("org.freedesktop.DBus.ObjectManager", "GetManagedObjects") where managesObjects:
            var listed: [DBusValue: DBusValue] = [:]
            for (path, object) in objects() { listed[.path(path)] = object.managedProperties }
            return [.dictionary(key: "o", value: "a{sa{sv}}", listed)]
        default:
            throw DBusError.refused(
                name: "org.freedesktop.DBus.Error.UnknownMethod",
                text: "There is no method \(call.interface).\(call.member).")
        }
    }

    private func interface(_ call: DBusCall) throws(DBusError) -> Interface? {
        guard let name = call.arguments.first?.text else {
            throw DBusError.refused(
                name: "org.freedesktop.DBus.Error.InvalidArgs", text: "The name of an interface is missing.")
        }
        return interfaces[name]
    }

    /// The object as XML, without the arguments of methods.
    private var introspection: String {
        var lines = ["<node>"]
        for (name, interface) in interfaces.sorted(by: { $0.key < $1.key }) {
            lines.append(" <interface name=\"\(name)\">")
            for method in interface.methods.keys.sorted() { lines.append("  <method name=\"\(method)\"/>") }
            for (property, value) in interface.properties.sorted(by: { $0.key < $1.key }) {
                lines.append("  <property name=\"\(property)\" type=\"\(value.signature)\" access=\"read\"/>")
            }
            lines.append(" </interface>")
        }
        return (lines + ["</node>"]).joined(separator: "\n")
    }
}
