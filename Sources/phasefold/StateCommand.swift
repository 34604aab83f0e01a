internal import Foundation
internal import Settings
internal import Worker

/// `state`: looks into the checkpoint.
enum StateCommand {
    private static let device = CommandOption("device", "d", value: "ID", "Shows this device; needs --app.")
    private static let app = CommandOption("app", "a", value: "ID", "The app of --device.")

    static let command = Command(
        name: "state", operands: "",
        summary: "Shows what the checkpoint holds: devices, age, size, one device.",
        details: """
            Reads the checkpoint as a restart would, with or without workers running, and changes nothing: a line for \
            each input partition with its committed offset, stream time, devices, their bytes in memory, and the \
            bytes that a restart reads.
            """,
        options: [.config, .set, device, app], run: run)

    static func run(_ invocation: Invocation) throws -> ExitStatus {
        try invocation.refuseOperands()
        let wanted = try wanted(invocation)
        let settings = try invocation.settings(required: Command.workerKeys)
        let partitions: [CheckpointInspection.Partition]
        let found: [CheckpointInspection.Device]
        do throws(WorkerFailure) {
            (partitions, found) = try CheckpointInspection(settings).read(wanted: wanted)
        } catch {
            throw CommandError(error)
        }
        if let wanted {
            if found.isEmpty {
                return try Output.print("no state of the device \(wanted.device) of \(wanted.app)\n")
            }
            return try Output.print(found.map(text).joined())
        }
        return try Output.print(partitions.map(text).joined() + sum(partitions))
    }

    private static func wanted(_ invocation: Invocation) throws(CommandError) -> (device: String, app: String)? {
        switch (invocation.value(of: device), invocation.value(of: app)) {
        case (nil, nil): return nil
        case (let device?, let app?): return (device, app)
        default: throw CommandError(.usage, "--device and --app belong together")
        }
    }

    private static func text(_ partition: CheckpointInspection.Partition) -> String {
        let name = "\(partition.topic)[\(partition.number)]"
        guard let offset = partition.offset else { return "\(name)  nothing committed\n" }
        let time = partition.streamTime.map(date) ?? "no stream time"
        guard let devices = partition.devices else {
            return "\(name)  offset \(offset)  \(time)  no states: a worker begins with unknown devices\n"
        }
        return "\(name)  offset \(offset)  \(time)  \(devices) devices in \(partition.stateBytes) B, restored from "
            + "\(partition.records) records of \(partition.bytes) B\n"
    }

    private static func text(_ device: CheckpointInspection.Device) -> String {
        let since = device.since.map { " since \(date($0))" } ?? ""
        let last = device.last.map { ", last event \(date($0))" } ?? ""
        let received = device.lastReceived.map { " received \(date($0))" } ?? ""
        return "\(device.topic)[\(device.number)]  \(device.phase)\(since)\(last)\(received)\n"
    }

    private static func sum(_ partitions: [CheckpointInspection.Partition]) -> String {
        let devices = partitions.reduce(0) { $0 + ($1.devices ?? 0) }
        let bytes = partitions.reduce(0) { $0 + $1.bytes }
        let oldest = partitions.compactMap(\.streamTime).min()
        let age = oldest.map { Int(Date().timeIntervalSince1970) - Int($0 / 1000) }
        let text = age.map { "; the oldest stream time is \($0) s old" } ?? ""
        return "\(devices) devices, \(bytes) B of checkpoint\(text)\n"
    }

    private static func date(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            .formatted(.iso8601.time(includingFractionalSeconds: true))
    }
}
