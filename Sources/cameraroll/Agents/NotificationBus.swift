import CSystemd
import Glibc
import Platform

/// The session bus, as far as notifications go (Desktop Notifications Specification 1.2, over sd-bus(3)).
///
/// For one thread.
final class NotificationBus {
    /// What the notification daemon, or the bus about it, has said.
    enum Event {
        /// A button was pressed.
        case action(id: UInt32, key: String)
        /// A notification went away, whoever took it away.
        case closed(id: UInt32)
        /// The daemon has ended, and its notifications with it; another one may have taken its place.
        case daemonChanged(isThere: Bool)
    }

    /// What a notification shows.
    struct Notification {
        var summary: String
        var body: String
        /// Keys and labels.
        var actions: [(key: String, label: String)]
    }

    private let bus: OpaquePointer
    private var events: [Event] = []
    /// The unique name of the daemon. Anyone on the bus may send signals: those of others say nothing.
    private var daemon: String?
    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"
    private static let callTimeout: UInt64 = 10_000_000

    /// Connects to the bus that the environment names (`DBUS_SESSION_BUS_ADDRESS`, else `XDG_RUNTIME_DIR`).
    init() throws(CommandFailure) {
        var opened: OpaquePointer?
        let code = sd_bus_open_user(&opened)
        guard code >= 0, let opened else {
            throw CommandFailure(
                .systemFailure,
                "There is no desktop session to ask in: the session bus cannot be reached (\(Errno(rawValue: -code)))."
                    + " Run the agent in a desktop session, or in a terminal without --desktop.")
        }
        bus = opened
        try listen()
    }

    deinit { sd_bus_flush_close_unref(bus) }

    /// Readable when there may be events.
    var number: Int32 { sd_bus_get_fd(bus) }

    /// What the daemon can do, such as "actions". It is started where the bus knows how.
    func capabilities() throws(CommandFailure) -> Set<String> {
        let reply = try call(try message("GetCapabilities"))
        defer { sd_bus_message_unref(reply) }
        var found: Set<String> = []
        guard sd_bus_message_enter_container(reply, Self.array, "s") > 0 else { return [] }
        while let text = Self.text(reply) { found.insert(text) }
        return found
    }

    /// Shows a notification that stays until someone acts. - Returns: its number.
    func notify(_ notification: Notification) throws(CommandFailure) -> UInt32 {
        let message = try message("Notify")
        // App name, id to replace, icon, summary, body, actions, hints, time to show (0: for ever).
        var isBuilt =
            Self.append(message, "Camera Roll") && Self.append(message, UInt32(0))
            && Self.append(message, "camera-photo") && Self.append(message, notification.summary)
            && Self.append(message, notification.body)
        isBuilt = isBuilt && sd_bus_message_open_container(message, Self.array, "s") >= 0
        for (key, label) in notification.actions {
            isBuilt = isBuilt && Self.append(message, key) && Self.append(message, label)
        }
        isBuilt = isBuilt && sd_bus_message_close_container(message) >= 0 && Self.appendUrgency(message)
        var forEver: Int32 = 0
        isBuilt = isBuilt && sd_bus_message_append_basic(message, Self.int32, &forEver) >= 0
        guard isBuilt else {
            sd_bus_message_unref(message)
            throw CommandFailure(.systemFailure, "The notification cannot be put together: \(Errno.outOfMemory).")
        }
        let reply = try call(message)
        defer { sd_bus_message_unref(reply) }
        var id: UInt32 = 0
        guard sd_bus_message_read_basic(reply, Self.uint32, &id) > 0 else {
            throw CommandFailure(.systemFailure, "The notification daemon gave no number for a notification.")
        }
        return id
    }

    /// Takes a notification away; one that is gone already is no error.
    func close(_ id: UInt32) throws(CommandFailure) {
        let message = try message("CloseNotification")
        _ = Self.append(message, id)
        defer { sd_bus_message_unref(message) }
        // Whether it was there is of no interest; that the bus is gone shows when it is next listened to.
        _ = sd_bus_call(bus, message, Self.callTimeout, nil, nil)
    }

    /// What has happened since it was last asked.
    func takeEvents() throws(CommandFailure) -> [Event] {
        while true {
            let code = sd_bus_process(bus, nil)
            if code < 0 { throw Self.gone(code) }
            if code == 0 { break }
        }
        defer { events = [] }
        return events
    }

    // MARK: Listening

    private func listen() throws(CommandFailure) {
        // The bus outlives this object's pointer in it: `deinit` closes it.
        let this = Unmanaged.passUnretained(self).toOpaque()
        for member in ["ActionInvoked", "NotificationClosed"] {
            try match("type='signal',interface='\(Self.name)',path='\(Self.path)',member='\(member)'", this)
        }
        try match(
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
                + "member='NameOwnerChanged',arg0='\(Self.name)'", this)
        _ = try capabilities()
        daemon = try owner()
    }

    private func match(_ rule: String, _ this: UnsafeMutableRawPointer) throws(CommandFailure) {
        let code = sd_bus_add_match(bus, nil, rule, Self.take, this)
        if code < 0 { throw Self.gone(code) }
    }

    private static let take: sd_bus_message_handler_t = { message, this, _ in
        guard let message, let this else { return 0 }
        Unmanaged<NotificationBus>.fromOpaque(this).takeUnretainedValue().take(message)
        return 0
    }

    private func take(_ message: OpaquePointer) {
        let sender = sd_bus_message_get_sender(message).map { String(cString: $0) }
        let member = sd_bus_message_get_member(message).map { String(cString: $0) }
        if member == "NameOwnerChanged" {
            guard sender == "org.freedesktop.DBus", Self.text(message) == Self.name, Self.text(message) != nil,
                let owner = Self.text(message)
            else { return }
            daemon = owner.isEmpty ? nil : owner
            events.append(.daemonChanged(isThere: daemon != nil))
            return
        }
        guard let daemon, sender == daemon else { return }
        var id: UInt32 = 0
        guard sd_bus_message_read_basic(message, Self.uint32, &id) > 0 else { return }
        if member == "NotificationClosed" {
            events.append(.closed(id: id))
        } else if let key = Self.text(message) {
            events.append(.action(id: id, key: key))
        }
    }

    /// The unique name of the daemon.
    private func owner() throws(CommandFailure) -> String? {
        let message = try message(
            "GetNameOwner", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus")
        _ = Self.append(message, Self.name)
        let reply = try call(message)
        defer { sd_bus_message_unref(reply) }
        return Self.text(reply)
    }

    // MARK: Messages

    private func message(
        _ member: String, of name: String = name, at path: String = path, interface: String = name
    ) throws(CommandFailure) -> OpaquePointer {
        var message: OpaquePointer?
        let code = sd_bus_message_new_method_call(bus, &message, name, path, interface, member)
        guard code >= 0, let message else { throw Self.gone(code) }
        return message
    }

    /// Sends a message, lets go of it, and waits for its reply.
    private func call(_ message: OpaquePointer) throws(CommandFailure) -> OpaquePointer {
        defer { sd_bus_message_unref(message) }
        var error = sd_bus_error()
        defer { sd_bus_error_free(&error) }
        var reply: OpaquePointer?
        let code = sd_bus_call(bus, message, Self.callTimeout, &error, &reply)
        if code >= 0, let reply { return reply }
        let name = error.name.map { String(cString: $0) } ?? ""
        let text = error.message.map { String(cString: $0) } ?? "\(Errno(rawValue: -code))"
        if name == "org.freedesktop.DBus.Error.ServiceUnknown" || name == "org.freedesktop.DBus.Error.NameHasNoOwner" {
            throw CommandFailure(
                .systemFailure,
                "No notification daemon runs in this desktop session, and none can be started."
                    + " Start one, or run the agent in a terminal without --desktop.")
        }
        throw CommandFailure(.systemFailure, "The notification daemon does not answer: \(text).")
    }

    private static func gone(_ code: Int32) -> CommandFailure {
        CommandFailure(.systemFailure, "The session bus does not answer any more: \(Errno(rawValue: -code)).")
    }

    private static let array = CChar(UInt8(ascii: "a"))
    private static let string = CChar(UInt8(ascii: "s"))
    private static let uint32 = CChar(UInt8(ascii: "u"))
    private static let int32 = CChar(UInt8(ascii: "i"))
    private static let byte = CChar(UInt8(ascii: "y"))
    private static let entry = CChar(UInt8(ascii: "e"))
    private static let variant = CChar(UInt8(ascii: "v"))

    private static func append(_ message: OpaquePointer, _ text: String) -> Bool {
        text.withCString { sd_bus_message_append_basic(message, string, $0) >= 0 }
    }

    private static func append(_ message: OpaquePointer, _ number: UInt32) -> Bool {
        var number = number
        return sd_bus_message_append_basic(message, uint32, &number) >= 0
    }

    /// The hints: a dictionary that says "critical", which daemons show until someone acts.
    private static func appendUrgency(_ message: OpaquePointer) -> Bool {
        var critical: UInt8 = 2
        return sd_bus_message_open_container(message, array, "{sv}") >= 0
            && sd_bus_message_open_container(message, entry, "sv") >= 0 && append(message, "urgency")
            && sd_bus_message_open_container(message, variant, "y") >= 0
            && sd_bus_message_append_basic(message, byte, &critical) >= 0
            && sd_bus_message_close_container(message) >= 0 && sd_bus_message_close_container(message) >= 0
            && sd_bus_message_close_container(message) >= 0
    }

    /// The next text of a message; nil at its end.
    private static func text(_ message: OpaquePointer) -> String? {
        var text: UnsafePointer<CChar>?
        guard sd_bus_message_read_basic(message, string, &text) > 0, let text else { return nil }
        return String(cString: text)
    }
}
