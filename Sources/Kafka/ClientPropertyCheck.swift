internal import CRDKafka
internal import Glibc

/// What the library has to say of a client's properties, before anything is reached.
package enum ClientPropertyCheck {
    /// The names of all properties, as the library's own table tells them.
    package static let names: [String] = {
        var text: UnsafeMutablePointer<CChar>?
        var size = 0
        guard let file = unsafe open_memstream(&text, &size) else { return [] }
        unsafe rd_kafka_conf_properties_show(file)
        unsafe fclose(file)
        defer { unsafe free(text) }
        guard let text = unsafe text else { return [] }
        let lines = unsafe String(cString: text).split(separator: "\n")
        // Each row: name | whom it is for | range | default | …
        return lines.compactMap { line in
            let cells = line.split(separator: "|")
            guard cells.count > 3, let name = cells[0].split(separator: " ").first, name.first?.isLetter == true
            else { return nil }
            return String(name)
        }
    }()

    /// Whether one property can be what it shall be, by itself.
    package static func check(_ name: String, _ value: String, of role: ClientRole) throws(KafkaError) {
        _ = try ClientConfiguration(role: role, properties: [name: value])
    }

    /// Whether the properties agree with each other, and what they name is there: makes a client that reaches nobody.
    ///
    /// - Parameter timeout: of a transaction, ms; other limits are held to it.
    package static func check(
        _ properties: [String: String], of role: ClientRole, timeout: Int
    ) throws(KafkaError) {
        var forced = ["log_level": "0"]
        if role == .consumer { forced["group.id"] = "check" }
        if role == .transactionalProducer {
            forced.merge(TransactionalProducer.forced(identity: "check", timeout: timeout)) { _, new in new }
        }
        let own = properties.filter { !addresses.contains($0.key) }
        _ = try Client(role, own, forced: forced, observer: nil)
    }

    /// The library's names of where the cluster is.
    private static let addresses: Set = ["bootstrap.servers", "metadata.broker.list"]
}
