internal import Foundation

extension ClientStatistics {
    /// Reads the library's report; nil where it is no such report.
    init?(json: RawSpan) {
        let bytes = unsafe json.withUnsafeBytes { unsafe Data($0) }
        guard let report = try? JSONDecoder().decode(Report.self, from: bytes) else { return nil }
        kind = report.type
        queuedRecords = report.msg_cnt
        queuedBytes = report.msg_size
        sentRecords = report.txmsgs
        sentBytes = report.txmsg_bytes
        receivedRecords = report.rxmsgs
        receivedBytes = report.rxmsg_bytes
        rebalances = report.cgrp?.rebalance_cnt ?? 0
        for broker in report.brokers.values where broker.state == "UP" {
            brokersUp += 1
            roundTrip = max(roundTrip, broker.rtt.p99)
        }
        for topic in report.topics.values {
            for (name, partition) in topic.partitions where name != "-1" {
                prefetchedRecords += partition.fetchq_cnt
                prefetchedBytes += partition.fetchq_size
            }
        }
    }

    /// The parts of the report that are used, under the library's own names.
    private struct Report: Decodable {
        var type: String
        var msg_cnt: Int
        var msg_size: Int
        var txmsgs: Int
        var txmsg_bytes: Int
        var rxmsgs: Int
        var rxmsg_bytes: Int
        var brokers: [String: Broker]
        var topics: [String: Topic]
        var cgrp: Group?

        struct Broker: Decodable {
            var state: String
            var rtt: RoundTrip
        }
        struct RoundTrip: Decodable {
            var p99: Int
        }
        struct Topic: Decodable {
            var partitions: [String: Partition]
        }
        struct Partition: Decodable {
            var fetchq_cnt: Int
            var fetchq_size: Int
        }
        struct Group: Decodable {
            var rebalance_cnt: Int
        }
    }
}
