import BrokerModel
import Kafka

/// What a client asks of the cluster, as far as faults tell requests apart.
enum Request: String, CaseIterable {
    case metadata, admin, listOffsets, fetch, readBack
    case joinGroup, syncGroup, heartbeat, leaveGroup, commitOffsets, committedOffsets
    case initProducer, addPartitions, produce, addOffsets, transactionOffsets, endTransaction
}

/// What became of one request.
enum Outcome<Answer> {
    case answer(Answer)
    case refused(BrokerError)
    /// The connection broke, or nothing came in time: it may have been done, or not, or it may yet be.
    case lost

    var isAnswer: Bool { if case .answer = self { true } else { false } }
}

/// What befalls one request of an actor.
struct Trap {
    enum Fate: CaseIterable {
        /// The actor dies before it is sent, when it has been done, or when the answer has come.
        case dieBefore, dieWhenDone, dieWithAnswer
        case loseRequest, loseAnswer
        /// It is done and the answer lost, and before it is repeated another producer claims the actor's identity.
        case fenceWhenDone
        /// It comes late, perhaps after the client has given it up and asked again.
        case delayRequest, delayAnswer
    }

    var request: Request
    var fate: Fate
    /// Of the actor with this number; nil of any.
    var actor: Int?
    /// Requests of the kind that pass before.
    var skipping: Int
    var delay: Int64
}

/// The cluster, and the way to it.
final class Net {
    let world: World
    private(set) var cluster: ModelCluster
    /// Changes with everything that a reader might want to see.
    private(set) var version = 0
    /// ms that a request, or an answer, is under way.
    var latency: ClosedRange<Int64> = 1...4
    /// How likely one of them is lost.
    var loss = 0.0
    /// How likely one of them takes up to 3 s.
    var delays = 0.0
    var traps: [Trap] = []
    /// Traps that were sprung.
    private(set) var sprung = 0
    /// The transactional ids that were ever used, by the number of the actor.
    var identities: [Int: Set<String>] = [:]
    /// What each member of a group was last given, which the model does not tell.
    private(set) var assignments: [String: [TopicPartition]] = [:]
    /// Who was given a partition last, by the number of the actor.
    private var holders: [TopicPartition: Int] = [:]
    /// Whose partitions a writer without a transaction had when each of its rows came to the cluster.
    private(set) var holdings: [PartitionName: [Int64: Set<TopicPartition>]] = [:]
    /// What members met in partitions that were cut short or made anew.
    var journeys: [PartitionName: Journey] = [:]
    /// How often each topic was made anew.
    var generations: [String: Int] = [:]
    /// Kills an actor.
    var kill: (Actor) -> Void = { _ in }
    /// Nothing comes through any more.
    private(set) var isCut = false
    private var scheduled: Int64?
    private var tickets: [Waiting] = []
    private var readers: [() -> Void] = []
    private var counts: (version: Int, counts: [String: Int32])?

    /// ms until a client knows that there is no way to the cluster.
    private static let lossDelay: Int64 = 100

    private struct Waiting {
        var ticket: Ticket
        var actor: Actor
        var then: (Outcome<GroupAnswer>) -> Void
    }

    init(_ world: World, _ cluster: ModelCluster) {
        self.world = world
        self.cluster = cluster
    }

    // MARK: The cluster itself

    /// Changes the cluster, now.
    @discardableResult
    func change<Answer>(_ body: (inout ModelCluster, Int64) -> Answer) -> Answer {
        let answer = body(&cluster, world.now)
        hasChanged()
        return answer
    }

    /// Looks at the cluster, which is none of its clients' business.
    func peek<Answer>(
        _ body: (inout ModelCluster) throws(BrokerError) -> Answer
    ) -> Result<Answer, BrokerError> {
        var copy = cluster
        do throws(BrokerError) {
            return .success(try body(&copy))
        } catch {
            return .failure(error)
        }
    }

    private func hasChanged() {
        version += 1
        if !tickets.isEmpty { answerTickets() }
        let waiting = readers
        readers = []
        for reader in waiting { reader() }
        schedule()
    }

    /// As a client that knows the topics has it; 0 where there is no such topic.
    func partitions(of topic: String) -> Int32 { partitionCounts[topic] ?? 0 }

    private var partitionCounts: [String: Int32] {
        if let known = counts, known.version == version { return known.counts }
        let topics = (try? cluster.topics(now: world.now)) ?? []
        let found = Dictionary(uniqueKeysWithValues: topics.map { ($0.name, $0.partitions) })
        if topics.isEmpty { return counts?.counts ?? [:] }
        counts = (version, found)
        return found
    }

    /// Time is a cause, too: sessions and transactions time out.
    private func schedule() {
        guard let due = cluster.nextDeadline, due < scheduled ?? .max || scheduled ?? 0 < world.now else { return }
        scheduled = due
        world.after(due - world.now) { [self] in
            if scheduled == due { scheduled = nil }
            change { cluster, now in cluster.advance(to: now) }
        }
    }

    /// Calls once after the next change.
    func whenChanged(_ work: @escaping () -> Void) { readers.append(work) }

    private func answerTickets() {
        var left: [Waiting] = []
        for waiting in tickets where waiting.actor.state != .dead {
            do throws(BrokerError) {
                if let answer = try cluster.answer(to: waiting.ticket, now: world.now) {
                    deliver(.answer(answer), to: waiting.actor, waiting.then)
                } else {
                    left.append(waiting)
                }
            } catch {
                deliver(.refused(error), to: waiting.actor, waiting.then)
            }
        }
        tickets = left
    }

    func await(_ ticket: Ticket, for actor: Actor, _ then: @escaping (Outcome<GroupAnswer>) -> Void) {
        tickets.append(Waiting(ticket: ticket, actor: actor, then: then))
        answerTickets()
    }

    // MARK: Whose partitions are whose

    /// A member was given partitions; it begins by reading what others have written of them.
    func give(_ partitions: [TopicPartition], to actor: Actor, as member: String) {
        assignments[member] = partitions
        for partition in partitions { holders[partition] = actor.number }
    }

    /// Records came to the cluster that no transaction would have held back, had the writer lost its partitions.
    func wrote(_ count: Int, to partition: PartitionName, at offset: Int64, by actor: Actor) {
        guard partition.topic == "out" else { return }
        let held = Set(holders.filter { $0.value == actor.number }.keys)
        // What is sent again is there already.
        for place in offset..<offset + Int64(count) where holdings[partition]?[place] == nil {
            holdings[partition, default: [:]][place] = held
        }
    }

    // MARK: Requests

    /// From now on every request is lost, and those under way.
    func cut() {
        isCut = true
        (traps, tickets, readers) = ([], [], [])
    }

    private func transit() -> Int64 {
        if delays > 0, world.random.happens(delays) { return world.random.number(50...3000) }
        return world.random.number(latency)
    }

    private func deliver<Answer>(
        _ outcome: Outcome<Answer>, to actor: Actor, _ then: @escaping (Outcome<Answer>) -> Void
    ) {
        let isLost = loss > 0 && world.random.happens(loss)
        world.after(isLost ? world.random.number(20...2000) : transit(), for: actor) {
            then(isLost ? .lost : outcome)
        }
    }

    private func trap(_ request: Request, _ actor: Actor) -> Trap? {
        for index in traps.indices
        where traps[index].request == request && (traps[index].actor ?? actor.number) == actor.number {
            if traps[index].skipping > 0 {
                traps[index].skipping -= 1
                continue
            }
            sprung += 1
            world.trace.line(world.now, "\(actor.name): \(request.rawValue) meets \(traps[index].fate)")
            return traps.remove(at: index)
        }
        return nil
    }

    /// Sends a request; what becomes of it comes later, in the actor's time.
    /// - Parameter timeout: ms, after which the client gives it up.
    func send<Answer>(
        _ request: Request, for actor: Actor, timeout: Int64,
        _ body: @escaping (inout ModelCluster, Int64) throws(BrokerError) -> Answer,
        _ then: @escaping (Outcome<Answer>) -> Void
    ) {
        if isCut { return world.after(Self.lossDelay, for: actor) { then(.lost) } }
        let trap = trap(request, actor)
        if trap?.fate == .dieBefore { return kill(actor) }
        var isOver = false
        let end = { (outcome: Outcome<Answer>) in
            if isOver { return }
            isOver = true
            then(outcome)
        }
        if loss > 0 && world.random.happens(loss) || trap?.fate == .loseRequest {
            return world.after(world.random.number(20...2000), for: actor) { end(.lost) }
        }
        world.after(timeout, for: actor) { end(.lost) }
        let delay = trap?.fate == .delayRequest ? trap?.delay ?? 0 : 0
        world.after(transit() + delay) { [self] in
            let outcome = perform(request, actor, body)
            if trap?.fate == .dieWhenDone { return kill(actor) }
            if trap?.fate == .fenceWhenDone { fence(actor) }
            if trap?.fate == .loseAnswer || trap?.fate == .fenceWhenDone {
                return world.after(world.random.number(20...2000), for: actor) { end(.lost) }
            }
            let late = trap?.fate == .delayAnswer ? trap?.delay ?? 0 : 0
            if late > 0 { return world.after(late, for: actor) { end(outcome) } }
            deliver(outcome, to: actor, end)
            if trap?.fate == .dieWithAnswer {
                // Within the steps that follow the answer.
                actor.plan = (world.random.below(6) + 1, { [self] in kill(actor) })
            }
        }
    }

    private func fence(_ actor: Actor) {
        for id in (identities[actor.number] ?? []).sorted() {
            change { cluster, now in
                _ = try? cluster.initProducer(id, timeout: 10_000, current: nil, now: now)
            }
        }
    }

    private func perform<Answer>(
        _ request: Request, _ actor: Actor, _ body: (inout ModelCluster, Int64) throws(BrokerError) -> Answer
    ) -> Outcome<Answer> {
        if isCut { return .lost }
        let outcome: Outcome<Answer>
        do throws(BrokerError) {
            outcome = .answer(try body(&cluster, world.now))
        } catch {
            outcome = .refused(error)
        }
        if request != .fetch, request != .heartbeat {
            world.trace.line(world.now, "\(actor.name): \(request.rawValue) → \(Self.text(outcome))")
        }
        if request == .fetch { schedule() } else { hasChanged() }
        return outcome
    }

    private static func text<Answer>(_ outcome: Outcome<Answer>) -> String {
        switch outcome {
        case .answer(let answer): String("\(answer)".prefix(160))
        case .refused(let error): error.name
        case .lost: "lost"
        }
    }
}

extension PartitionName {
    init(_ partition: TopicPartition) { self.init(partition.topic, partition.partition) }

    var kafka: TopicPartition { TopicPartition(topic, index) }
}
