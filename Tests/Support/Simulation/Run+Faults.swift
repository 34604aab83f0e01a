import BrokerModel
import Worker

extension Run {
    /// Has one fault come about.
    func befall(_ fault: Plan.Fault) throws {
        world.trace.line(world.now, "fault: \(fault)")
        switch fault {
        case .kill(let worker): if let host = living(worker) { kill(host.actor) }
        case .trap(let worker, let request, let fate, let skipping, let delay):
            let actor = worker.flatMap { living($0)?.actor.number }
            net.traps.append(Trap(request: request, fate: fate, actor: actor, skipping: skipping, delay: delay))
        case .steps(let worker, let steps):
            guard let actor = living(worker)?.actor else { return }
            actor.plan = (steps, { [weak self] in self?.kill(actor) })
        case .freeze(let worker, let time):
            guard let actor = living(worker)?.actor, actor.state == .alive else { return }
            actor.state = .frozen
            world.after(time) { [world] in world.thaw(actor) }
        case .twin(let worker, let time):
            guard let host = living(worker) else { return }
            let twin = try launch(host.name)
            world.after(time) { [weak self] in self?.endTwin(twin) }
        case .join: try launch()
        case .stop(let worker):
            guard let host = living(worker) else { return }
            host.isStopping = true
            host.worker.stop()
        case .clock(let worker, let offset): living(worker)?.actor.clockOffset += offset
        case .retention(let partition, let laggard, let delay, let count):
            delayAll(laggard, for: delay + 1000)
            let place = PartitionName("in", Int32(partition) % partitions)
            world.after(delay) { [net] in net.change { $0.retain(place, newest: count, now: $1) } }
        case .remake(let remade): try remake(remade)
        case .upgrade: makeOld()
        default: befallCluster(fault)
        }
    }

    private func befallCluster(_ fault: Plan.Fault) {
        switch fault {
        case .outage(let time, let loading):
            checks.outages += time + loading
            net.change { cluster, now in cluster.stop(now: now) }
            world.after(time) { [net] in net.change { $0.start(loading: loading, now: $1) } }
        case .moveGroup(let away, let loading):
            net.change { $0.moveCoordinator(of: .group("app"), away: away, loading: loading, now: $1) }
        case .moveTransactions(let away, let loading):
            checks.outages += away + loading
            for id in Set(net.identities.values.joined()).sorted() {
                net.change { $0.moveCoordinator(of: .transaction(id), away: away, loading: loading, now: $1) }
            }
        case .moveLeaders(let away):
            checks.outages += away
            for topic in ["in", "app-partials", "app-devices", "out"] {
                for index in 0..<net.partitions(of: topic) {
                    net.change { $0.moveLeader(of: PartitionName(topic, index), away: away, now: $1) }
                }
            }
        case .loss(let share, let time):
            net.loss = Double(share) / 1000
            world.after(time) { [net] in net.loss = 0 }
        case .delays(let share, let time):
            net.delays = Double(share) / 1000
            world.after(time) { [net] in net.delays = 0 }
        case .addPartition: addPartition()
        case .spoil(let which, let partition, let back, let isTorn): spoil(which, partition, back, isTorn)
        case .empty(let which, let partition):
            let place = place(which, partition)
            net.change { _ = try? $0.deleteRecords(of: place, before: -1, now: $1) }
        default: return
        }
    }

    private func delayAll(_ laggard: Plan.Laggard, for time: Int64) {
        for host in hosts where host.isAlive && host.actor.state == .alive {
            switch laggard {
            case .nobody: return
            case .killed: kill(host.actor)
            case .frozen:
                host.actor.state = .frozen
                world.after(time) { [world] in world.thaw(host.actor) }
            }
        }
    }

    private func remake(_ remade: Plan.Remade) throws {
        if remade.isDrained, try !drain() { return }
        let name = remade.topic.rawValue
        guard
            let topic = try? net.peek({ cluster throws(BrokerError) in try cluster.topics(now: cluster.now) }).get()
                .first(where: { $0.name == name })
        else { return }
        checks.delete(remade.topic, isDrained: remade.isDrained)
        net.generations[name, default: 0] += 1
        net.change { cluster, now in _ = try? cluster.deleteTopic(name, now: now) }
        if remade.isUnwatched { delayAll(.killed, for: 0) }
        if let kill = remade.kill {
            world.after((remade.gap ?? 12_000) + kill) { [weak self] in
                if self?.isRecovering == false { self?.delayAll(.killed, for: 0) }
            }
        }
        guard let gap = remade.gap else { return }
        deleted = topic
        world.after(gap) { [weak self] in self?.makeAgain() }
    }

    /// A worker may have been the first to make it.
    func makeAgain() {
        guard let topic = deleted else { return }
        let isDown = net.change { cluster, now in
            do throws(BrokerError) {
                try cluster.createTopic(
                    topic.name, partitions: topic.partitions, settings: topic.settings, now: now)
                return false
            } catch {
                return error == .networkException
            }
        }
        guard isDown else { return deleted = nil }
        world.after(500) { [weak self] in self?.makeAgain() }
    }

    /// Whether all that was sent has been folded, summed up and committed, in bounded time.
    private func drain() throws -> Bool {
        let begin = world.now
        if living(0) == nil { try launch() }
        while world.now - begin < Self.recoveryLimit {
            try tick()
            if try checks.undone() == nil, try checks.look(deep: true) { return true }
        }
        return false
    }

    private func addPartition() {
        let total = partitions + 1
        let isAdded = net.change { cluster, now in
            (try? cluster.addPartitions(to: "in", total: total, now: now)) != nil
        }
        if isAdded { grew(to: total) }
    }

    private func place(_ which: Int, _ partition: Int) -> PartitionName {
        let topic = which == 0 ? "app-devices" : "app-totals"
        return PartitionName(topic, Int32(partition) % max(net.partitions(of: topic), 1))
    }

    private func spoil(_ which: Int, _ partition: Int, _ back: Int, _ isTorn: Bool) {
        let place = place(which, partition)
        net.change { cluster, now in
            guard let end = try? cluster.offset(.latest, of: place, .readUncommitted, now: now) else { return }
            let offset = max(end - 1 - Int64(back), 0)
            cluster.corrupt(place, at: offset, isTorn ? .torn(5) : .flipped(bit: 77), now: now)
        }
    }
}
