/// `input.format`: how records are read.
package enum InputFormat: String, CaseIterable, Sendable {
    /// By content, record by record.
    case auto
    case json
    case otlpJSON = "otlp_json"
    case otlpProto = "otlp_proto"
    case logcat
}

/// `group.by`: the dimensions of an event that a record may be grouped by.
package enum GroupingDimension: String, CaseIterable, Sendable {
    case appID = "app_id"
    case platform
    case appVersion = "app_version"
    case osVersion = "os_version"
    case deviceModel = "device_model"
}

/// `emit`: which revisions of a window's record go out.
package enum Emission: String, CaseIterable, Sendable {
    /// A new revision of each changed window every commit, and the final one.
    case updates
    /// The final one alone.
    case final
}

/// `delivery.guarantee`: what a death of the worker may do to the figures.
package enum DeliveryGuarantee: String, CaseIterable, Sendable {
    /// Everything of a commit and its offsets in one transaction: nothing is lost, nothing counts twice.
    case exactlyOnce = "exactly_once"
    /// Offsets are committed after the flush: nothing is lost, some may count twice.
    case atLeastOnce = "at_least_once"
}

/// `log.format`.
package enum LogForm: String, CaseIterable, Sendable {
    case text
    case json
}

/// `log.level`: the least severe lines that are written.
package enum LogThreshold: String, CaseIterable, Sendable {
    case error
    case warning
    case info
    case debug
}

/// A host and a port to listen on; port 0 takes a free one.
package struct ListenAddress: Sendable, Equatable {
    /// A name or an address; an IPv6 address without its brackets.
    package var host: String
    package var port: UInt16

    static let loopback = ListenAddress(host: "127.0.0.1", port: 8088)

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `host:port` or `[v6]:port`; nil where it is neither.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, !host.contains(where: \.isWhitespace) else { return nil }
        self.init(host: String(host), port: port)
    }

    /// Only programs of the same machine reach it.
    package var isLoopback: Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
