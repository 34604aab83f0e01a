import BrokerModel
import Engine
import Metering

extension Run {
    /// The series of one worker, as they are scraped: by name with its labels.
    private static func series(_ host: Host) -> [String: Double] {
        var found: [String: Double] = [:]
        for line in host.metrics.prometheusText().split(separator: "\n") where !line.hasPrefix("#") {
            guard let space = line.lastIndex(of: " ") else { continue }
            found[String(line[..<space])] = Double(line[line.index(after: space)...])
        }
        return found
    }

    /// I8: what a worker keeps has bounds, whatever comes.
    func checkBounds() throws {
        let buffer = Double(plan.settings["reorder.buffer"] ?? "") ?? 0
        for host in hosts where host.actor.state == .alive && !host.hasEnded {
            let series = Self.series(host)
            for (name, held) in series where name.hasPrefix("phasefold_events_held{") {
                // Of each device, and of those whose state is not told yet.
                let limit = buffer * Double(plan.devices + Int(partitions))
                if held > limit { throw Violation("I8", "\(name) in \(host.actor.name): \(held), at most \(limit)") }
            }
            for (name, devices) in series where name.hasPrefix("phasefold_devices{") {
                let limit = Double(plan.devices + Int(partitions))
                if devices > limit { throw Violation("I8", "\(name) in \(host.actor.name): \(devices)") }
            }
        }
    }

    /// I10: what the workers tell, all of them at rest, is what can be seen.
    func checkMetrics() throws {
        let alive = hosts.filter(\.isAlive)
        let series = alive.map(Self.series)
        func values(_ name: String) -> [Double] { series.compactMap { $0[name] } }
        for fold in checks.truth.folds {
            let label = "\(fold.name.topic)-\(fold.name.index)"
            let devices = values("phasefold_devices{partition=\"\(label)\"}")
            if checks.hasLostStates || checks.hasLostInput
                ? devices.count != 1 : devices != [Double(fold.engine.devices)]
            {
                throw Violation("I10", "devices of \(label): \(devices), not [\(fold.engine.devices)]")
            }
            let held = values("phasefold_events_held{partition=\"\(label)\"}")
            if held.count != 1 { throw Violation("I10", "events held of \(label) are told \(held.count) times") }
            let lag = values("phasefold_lag_records{topic=\"\(fold.name.topic)\",partition=\"\(fold.name.index)\"}")
            if lag != [0] { throw Violation("I10", "lag of \(label): \(lag), and all is done") }
        }
        let tasks = ["rekey", "fold", "total"].map { values("phasefold_tasks{stage=\"\($0)\"}").reduce(0, +) }
        let partials = Double(net.partitions(of: "app-partials"))
        let folds = Double(checks.truth.folds.count)
        if tasks != [plan.isKeyed ? 0 : Double(partitions), folds, partials] {
            throw Violation("I10", "\(tasks) tasks of \(folds) and \(partials) partitions")
        }
        for (host, found) in zip(alive, series) {
            if plan.settings["standby.memory"] != nil, found["phasefold_standby_bytes"] ?? 0 > 1_048_576 {
                throw Violation("I8", "\(host.actor.name) keeps more for others than standby.memory")
            }
            let waiting = found["phasefold_epochs_waiting"] ?? 0
            if waiting > 1 { throw Violation("I10", "\(waiting) epochs wait in \(host.actor.name) at rest") }
        }
        try checkCounters()
    }

    /// What retention took from under a reader is told, by each that met it.
    private func checkLosses() throws {
        guard plan.remade == nil else { return }
        for index in 0..<partitions {
            let place = PartitionName("in", index)
            let told = hosts.reduce(0) { $0 + Int64($1.metrics.counter(\.recordsLost, "in-\(index)").value) }
            let journey = net.journeys[place] ?? Journey()
            let least = journey.lost(before: checks.committedInput()?[place] ?? 0)
            if told < least || told > journey.met {
                throw Violation("I10", "\(told) records of \(place) are told as lost, of \(least) to \(journey.met)")
            }
        }
    }

    /// Over all that ever worked: a worker that died may have done more than it could count, never less.
    private func checkCounters() throws {
        func sum(_ counter: (Host) -> UInt64) -> Int { Int(hosts.reduce(0) { $0 + counter($1) }) }
        let rows = sum { $0.metrics.counter(\.rowsOut).value }
        let partials = sum { $0.metrics.counter(\.partialsOut).value }
        // Partials that went with their topic before they were looked at are counted by the workers alone.
        if rows > checks.rowRevisions || partials > checks.partialCount && !checks.hasLostPartials {
            throw Violation(
                "I10",
                "\(rows) rows and \(partials) partials are counted, "
                    + "\(checks.rowRevisions) and \(checks.partialCount) were written")
        }
        try checkLosses()
        let letters = sum { host in
            let series = Self.series(host).filter { $0.key.hasPrefix("phasefold_dead_letters_total") }
            return UInt64(series.values.reduce(0, +))
        }
        guard plan.faults.isEmpty, !plan.killsAll else { return }
        if rows != checks.rowRevisions { throw Violation("I10", "\(rows) rows counted, not \(checks.rowRevisions)") }
        // What is read again after a partition came back is counted again.
        if letters < checks.letterCount {
            throw Violation("I10", "\(letters) dead letters counted, not \(checks.letterCount)")
        }
    }
}
