package import Lifecycle

/// What the records of a topic or a file are made of.
package enum RecordFormat: String, CaseIterable, Sendable {
    /// Found out record by record, from its content.
    case auto
    case json
    case otlpJSON = "otlp_json"
    case otlpProtobuf = "otlp_proto"
    /// Lines of an Android event log.
    case logcat
}

/// How records are read.
package struct DecodingOptions: Sendable {
    package var format: RecordFormat = .auto
    /// The app of an event that names none.
    package var defaultAppID: String?
    /// The device of an event log line; where nil, ``fileName``, and without that the record's key.
    package var defaultDeviceID: String?
    /// The file that is replayed, as it was named (`-` for standard input); nil where records come from a topic.
    package var fileName: String?
    /// The largest record that is read, in bytes; every larger one is rejected.
    package var maxRecordBytes = 16 << 20
    /// The dimensions that an event's group is made of; the others are empty in every group.
    package var groupBy: [Dimension] = [.app, .platform, .appVersion]
    /// Whether `rx_ts` is the receive time: in files, where no broker gave one.
    package var honoursReceiveTime = false
    /// The year of the first line of an event log; where nil, the current one.
    package var logcatYear: Int?

    package init() {}
}
