import BrokerModel
import Checkpointing
import Lifecycle
import Metering

/// A moment from which on workers are of another version than the checkpoint.
struct Upgrade {
    /// Workers that had been launched before; all of them have died.
    var hosts: Int
    /// Tasks that had begun before, of each partition.
    var begun: [PartitionName: Int]
    /// Partitions whose states a reader of committed records found in the checkpoint.
    var sources: Set<PartitionName>
}

extension Run {
    /// Every block of the checkpoint bears the number of an older format.
    func makeOld() {
        for host in hosts where host.isAlive { kill(host.actor) }
        let begun = net.journeys.mapValues(\.beginnings.count)
        var old = Upgrade(hosts: hosts.count, begun: begun, sources: [])
        for index in 0..<net.partitions(of: "app-devices") {
            let place = PartitionName("app-devices", index)
            old.sources.formUnion(sources(in: net.cluster.records(in: place, .readCommitted)))
            for stored in net.cluster.records(in: place, .readUncommitted) {
                guard let value = stored.record.value else { continue }
                net.change { cluster, now in
                    cluster.corrupt(place, at: stored.offset, .replaced(Self.older(value)), now: now)
                }
            }
        }
        upgrade = old
    }

    /// The block as a version that is read no more would have written it: whole, with its own number and the checksum
    /// to it.
    private static func older(_ block: [UInt8]) -> [UInt8] {
        let size = MemoryLayout<UInt64>.size
        guard block.count > size + Block.magic.count else { return block }
        var block = Array(block.dropLast(size))
        block[Block.magic.count] = Block.readable.lowerBound - 1
        let checksum = unsafe StableHash.hash(block.span.bytes)
        for byte in 0..<size { block.append(UInt8(truncatingIfNeeded: checksum >> (8 * UInt64(byte)))) }
        return block
    }

    /// I2: states of an older format are never gone on from, nor lost in silence. Each task that began where one of
    /// the version before had come to may tell of it, and one of them has.
    func checkUpgrade() throws {
        guard let upgrade else { return }
        let told = hosts[upgrade.hosts...].reduce(0) { $0 + Int($1.metrics.counter(\.checkpointsLost).value) }
        var (least, most) = (0, 0)
        for fold in checks.truth.folds {
            let begun = net.journeys[fold.name]?.beginnings.dropFirst(upgrade.begun[fold.name] ?? 0) ?? []
            guard let first = begun.first else { continue }
            // Without an offset states are met where they are there yet.
            let isOld = first.map { Note($0.metadata).mark != nil } ?? upgrade.sources.contains(fold.name)
            guard isOld else { continue }
            if first != nil || !plan.spoilsDevices { least += 1 }
            most += begun.count { $0 == first }
        }
        // Other faults have others begin without states, too.
        if told < least || told > most && !plan.spoilsDevices && plan.remade == nil {
            throw Violation(
                "I2", "that states of an older format are lost is told by \(told) tasks, not \(least) to \(most)")
        }
    }

    /// Whose states are in some records of the checkpoint.
    private func sources(in records: [StoredRecord]) -> Set<PartitionName> {
        let values = records.map { $0.record.value ?? [] }
        let headers = values.compactMap { value in try? unsafe SealedBlock(value.span.bytes).header }
        return Set(headers.map { PartitionName(String(decoding: $0.topic, as: UTF8.self), $0.partition) })
    }
}
