import CSystemd
import EarshotSystem
import Glibc

/// The state of a connection on its thread. Only that thread uses it, so sd-bus needs no lock.
final class DBusLoop {
    private let inbox: DBusInbox
    private var bus: OpaquePointer?
    /// The calls without an answer, by their slots.
    private var calls: [OpaquePointer: DBusTicket] = [:]
    /// The receivers of signals, by the slots of their matches and by their numbers.
    private var receivers: [OpaquePointer: (DBusSignal) -> Void] = [:]
    private var matches: [UInt64: (slot: OpaquePointer, end: () -> Void)] = [:]
    private var objects: [String: (slot: OpaquePointer, object: DBusObject)] = [:]
    private var closingReason = "it was closed"

    /// The name of a connection's thread, as `top -H` shows it; at most 15 bytes.
    private static let threadName = "earshot-dbus"

    private init(_ inbox: DBusInbox) {
        self.inbox = inbox
    }

    /// Connects, and serves the inbox until its owner ends it or the bus is gone.
    static func run(_ name: DBusBus, _ inbox: DBusInbox) {
        nameThread()
        let loop = DBusLoop(inbox)
        if loop.open(name) {
            while loop.step() {}
        }
        loop.close()
        inbox.close(loop.closingReason)
    }

    /// Through a file, because Swift does not import `pthread_setname_np`.
    private static func nameThread() {
        let descriptor = Glibc.open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        _ = Glibc.write(descriptor, threadName, threadName.utf8.count)
        _ = Glibc.close(descriptor)
    }

    private func open(_ name: DBusBus) -> Bool {
        var bus: OpaquePointer?
        var result: Int32
        switch name {
        case .system: result = sd_bus_open_system(&bus)
        case .session: result = sd_bus_open_user(&bus)
        case .address(let address):
            result = sd_bus_new(&bus)
            if result >= 0 { result = sd_bus_set_address(bus, address) }
            if result >= 0 { result = sd_bus_set_bus_client(bus, 1) }
            if result >= 0 { result = sd_bus_start(bus) }
        }
        guard result >= 0, let bus else {
            closingReason = systemText(-result)
            if let bus { sd_bus_unref(bus) }
            return false
        }
        self.bus = bus
        return true
    }

    /// Does the pending work, and waits for more.
    /// - Returns: false if the connection should be closed.
    private func step() -> Bool {
        guard let jobs = inbox.take() else { return false }
        for job in jobs { job(self) }
        var result: Int32
        repeat { result = sd_bus_process(bus, nil) } while result > 0
        guard result == 0, sd_bus_is_open(bus) > 0 else {
            closingReason = result < 0 ? systemText(-result) : "the bus closed it"
            return false
        }
        wait()
        return true
    }

    private func wait() {
        let events = sd_bus_get_events(bus)
        var due: UInt64 = .max
        sd_bus_get_timeout(bus, &due)
        // Without a pipe, the inbox is checked every 50 ms.
        var waitMilliseconds: Int64 = inbox.descriptor < 0 ? 50 : -1
        if due != .max {
            let left = max(0, (Int64(clamping: due) - MonotonicTime.nanoseconds / 1_000 + 999) / 1_000)
            waitMilliseconds = waitMilliseconds < 0 ? left : min(left, waitMilliseconds)
        }
        var descriptors = [
            pollfd(fd: sd_bus_get_fd(bus), events: Int16(truncatingIfNeeded: max(0, events)), revents: 0),
            pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        poll(&descriptors, 2, Int32(clamping: waitMilliseconds))
    }

    private func close() {
        for (slot, ticket) in calls {
            sd_bus_slot_unref(slot)
            ticket.answer(.failure(.disconnected(closingReason)))
        }
        for match in matches.values {
            sd_bus_slot_unref(match.slot)
            match.end()
        }
        for object in objects.values { sd_bus_slot_unref(object.slot) }
        (calls, receivers, matches, objects) = ([:], [:], [:], [:])
        guard let bus else { return }
        // The last messages, such as a farewell, are still sent.
        sd_bus_flush(bus)
        sd_bus_close(bus)
        sd_bus_unref(bus)
        self.bus = nil
    }

    private var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    private static func loop(_ userdata: UnsafeMutableRawPointer?) -> DBusLoop? {
        userdata.map { Unmanaged<DBusLoop>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension DBusLoop {
    /// Sends a call whose answer goes to `ticket`.
    func call(
        _ ticket: DBusTicket, to destination: String, path: String, interface: String, member: String,
        arguments: [DBusValue], timeLimitMicroseconds: UInt64
    ) {
        guard !ticket.isAnswered else { return }
        do throws(DBusError) {
            var new: OpaquePointer?
            let made = sd_bus_message_new_method_call(bus, &new, destination, path, interface, member)
            guard made >= 0, let message = new else {
                throw DBusError.malformed("cannot call \(interface).\(member) of \(path): \(systemText(-made))")
            }
            defer { sd_bus_message_unref(message) }
            sd_bus_message_set_auto_start(message, 0)
            for argument in arguments { try argument.append(to: message) }
            var slot: OpaquePointer?
            let sent = sd_bus_call_async(
                bus, &slot, message,
                { message, userdata, _ in
                    DBusLoop.loop(userdata)?.takeAnswer(message)
                    return 0
                }, userdata, timeLimitMicroseconds)
            guard sent >= 0, let slot else { throw DBusError.disconnected(systemText(-sent)) }
            calls[slot] = ticket
        } catch {
            ticket.answer(.failure(error))
        }
    }

    /// Forgets a call whose task has ended.
    func forget(_ ticket: DBusTicket) {
        guard let slot = calls.first(where: { $0.value === ticket })?.key else { return }
        calls[slot] = nil
        sd_bus_slot_unref(slot)
    }

    private func takeAnswer(_ message: OpaquePointer?) {
        guard let message, let slot = sd_bus_get_current_slot(bus), let ticket = calls.removeValue(forKey: slot)
        else { return }
        ticket.answer(Self.answer(message))
        sd_bus_slot_unref(slot)
    }

    private static func answer(_ message: OpaquePointer) -> DBusTicket.Answer {
        if let error = sd_bus_message_get_error(message)?.pointee {
            let name = error.name.map { String(cString: $0) } ?? ""
            let text = error.message.map { String(cString: $0) } ?? ""
            switch name {
            case "org.freedesktop.DBus.Error.NoReply": return .failure(.noReply)
            // sd-bus reports this about its own connection.
            case "org.freedesktop.DBus.Error.Timeout": return .failure(.disconnected(text))
            default: return .failure(.refused(name: name, text: String(text.prefix(maximumErrorCount))))
            }
        }
        var reader = DBusReader(message)
        return Result { () throws(DBusError) in try reader.values() }
    }

    /// An error's text is shown to the user; a longer one is cut.
    private static var maximumErrorCount: Int { 500 }
}

extension DBusLoop {
    /// Receives the matching signals until `unmatch` or the end of the connection, which calls `end`.
    func match(
        _ number: UInt64, _ match: DBusMatch, receive: @escaping (DBusSignal) -> Void, end: @escaping () -> Void
    ) {
        var new: OpaquePointer?
        let added = sd_bus_add_match_async(
            bus, &new, match.rule,
            { message, userdata, _ in
                DBusLoop.loop(userdata)?.takeSignal(message)
                return 0
            }, nil, userdata)
        guard added >= 0, let slot = new else { return end() }
        matches[number] = (slot, end)
        receivers[slot] = receive
    }

    /// Stops receiving the signals of a match.
    func unmatch(_ number: UInt64) {
        guard let match = matches.removeValue(forKey: number) else { return }
        receivers[match.slot] = nil
        sd_bus_slot_unref(match.slot)
    }

    private func takeSignal(_ message: OpaquePointer?) {
        guard let message, let slot = sd_bus_get_current_slot(bus), let receive = receivers[slot] else { return }
        // Several matches may need the message; each reads it from the start.
        sd_bus_message_rewind(message, 1)
        var reader = DBusReader(message)
        guard let arguments = try? reader.values() else { return }
        receive(
            DBusSignal(
                sender: Self.text(sd_bus_message_get_sender(message)),
                path: Self.text(sd_bus_message_get_path(message)),
                interface: Self.text(sd_bus_message_get_interface(message)),
                member: Self.text(sd_bus_message_get_member(message)), arguments: arguments))
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }

    /// Sends a signal from an object at `path`.
    func emit(path: String, interface: String, member: String, arguments: [DBusValue]) throws(DBusError) {
        var new: OpaquePointer?
        let made = sd_bus_message_new_signal(bus, &new, path, interface, member)
        guard made >= 0, let message = new else {
            throw DBusError.malformed("cannot send the signal \(interface).\(member): \(systemText(-made))")
        }
        defer { sd_bus_message_unref(message) }
        for argument in arguments { try argument.append(to: message) }
        let sent = sd_bus_send(bus, message, nil)
        guard sent >= 0 else { throw DBusError.disconnected(systemText(-sent)) }
    }
}

extension DBusLoop {
    /// Exports an object, or replaces the one at the same path.
    func export(_ path: String, _ object: DBusObject) throws(DBusError) {
        if let slot = objects[path]?.slot {
            objects[path] = (slot, object)
            return
        }
        var new: OpaquePointer?
        let added = sd_bus_add_object(
            bus, &new, path,
            { message, userdata, _ in
                guard let message, let loop = DBusLoop.loop(userdata) else { return 0 }
                return loop.takeCall(message)
            }, userdata)
        guard added >= 0, let slot = new else {
            throw DBusError.malformed("cannot export \(path): \(systemText(-added))")
        }
        objects[path] = (slot, object)
    }

    /// Stops exporting an object.
    func withdraw(_ path: String) {
        guard let exported = objects.removeValue(forKey: path) else { return }
        sd_bus_slot_unref(exported.slot)
    }

    /// Answers a call.
    /// - Returns: 1 if the call is answered, 0 if sd-bus should answer it.
    private func takeCall(_ message: OpaquePointer) -> Int32 {
        let path = Self.text(sd_bus_message_get_path(message))
        guard sd_bus_message_is_method_call(message, nil, nil) > 0, let object = objects[path]?.object else { return 0 }
        do throws(DBusError) {
            var reader = DBusReader(message)
            let call = DBusCall(
                sender: Self.text(sd_bus_message_get_sender(message)), path: path,
                interface: Self.text(sd_bus_message_get_interface(message)),
                member: Self.text(sd_bus_message_get_member(message)), arguments: try reader.values())
            let below = path == "/" ? "/" : path + "/"
            let values = try object.answer(call) {
                objects.filter { $0.key.hasPrefix(below) && $0.key != path }.mapValues(\.object)
            }
            try reply(to: message, values)
        } catch .noReply {
            // The object leaves the call without an answer.
        } catch {
            refuse(message, error)
        }
        return 1
    }

    private func reply(to call: OpaquePointer, _ values: [DBusValue]) throws(DBusError) {
        guard sd_bus_message_get_expect_reply(call) > 0 else { return }
        var new: OpaquePointer?
        let made = sd_bus_message_new_method_return(call, &new)
        guard made >= 0, let message = new else { throw DBusError.malformed(systemText(-made)) }
        defer { sd_bus_message_unref(message) }
        for value in values { try value.append(to: message) }
        sd_bus_send(bus, message, nil)
    }

    private func refuse(_ call: OpaquePointer, _ error: DBusError) {
        guard sd_bus_message_get_expect_reply(call) > 0 else { return }
        var (name, text) = ("org.freedesktop.DBus.Error.Failed", error.description)
        if case .refused(let its, let own) = error { (name, text) = (its, own) }
        var told = sd_bus_error()
        sd_bus_error_set(&told, name, text)
        defer { sd_bus_error_free(&told) }
        sd_bus_reply_method_error(call, &told)
    }
}
