import BrokerModel
@testable import Fleet
import Testing

/// Members of a group that come, go, freeze and are cut off.
@Suite struct RandomGroupTests {
    @Test func ownersAreAloneAndTheGroupSettles() {
        for seed in 0..<UInt64(150) {
            var run = GroupRun(seed: seed)
            let failures = run.failures()
            if failures.isEmpty { continue }
            Issue.record("seed \(seed): \(failures.joined(separator: "\n"))\n\(run.world.cluster)")
            return
        }
    }
}

/// One seed.
private struct GroupRun {
    private static let partitions = (0..<4).map { PartitionName("input", $0) }
    var world: World
    private var clients: [Client] = []
    private var newest: [PartitionName: Committer] = [:]
    private var found: [String] = []

    /// Whose offset of a partition was accepted last.
    private struct Committer {
        var generation: Int
        var name: String
    }

    private struct Client {
        enum Step {
            case out
            case joining(Ticket)
            case joined(members: [Subscriber])
            case syncing(Ticket)
            case member([PartitionName])
        }

        var instance: String?
        var id = ""
        var generation = -1
        var step = Step.out
        /// Frozen until then.
        var thaws: Int64 = 0
        /// When the next heartbeat is due.
        var beats: Int64 = 0
        /// A twin has its place.
        var isFenced = false

        var identity: MemberIdentity { MemberIdentity(id: id, generation: generation, instance: instance) }
        var owned: [PartitionName] { if case .member(let owned) = step { owned } else { [] } }
    }

    init(seed: UInt64) {
        world = World(seed: seed, topics: ["input": 4])
        clients = [Client(instance: "a"), Client(instance: "b"), Client(), Client()]
    }

    mutating func failures() -> [String] {
        for _ in 0..<300 {
            world.befall([.group("g")], [])
            let place = Int(world.random.below(Int64(clients.count)))
            switch world.random.below(200) {
            case 0: clients[place].thaws = world.cluster.now + 3000
            case 1: clients[place] = Client(instance: clients[place].instance)
            case 2 where clients[place].instance != nil: clients.append(Client(instance: clients[place].instance))
            case 3: leave(place)
            default: advance(place)
            }
            found += world.cluster.violations
        }
        settle()
        return found
    }

    /// Nothing befalls any more: everybody has to be at work, and every partition to be somebody's.
    private mutating func settle() {
        world.losses = 0
        world.cluster.start(loading: 0, now: world.cluster.now)
        for _ in 0..<200 {
            world.cluster.advance(to: world.cluster.now + 40)
            for place in clients.indices { advance(place) }
        }
        let living = clients.filter { !$0.isFenced }
        if Set(living.map(\.generation)).count != 1 { found.append("not of one generation: \(living)") }
        if living.flatMap(\.owned).sorted() != Self.partitions { found.append("not all partitions are somebody's") }
        if (try? world.cluster.groups(now: world.cluster.now).first?.state) != "Stable" { found.append("not stable") }
    }

    // MARK: Members

    private mutating func advance(_ place: Int) {
        if clients[place].isFenced || clients[place].thaws > world.cluster.now { return }
        do throws(BrokerError) {
            try take(place)
        } catch {
            clients[place].step = .out
            switch error {
            case .rebalanceInProgress: break
            case .fencedInstanceID: clients[place].isFenced = true
            default: clients[place].id = ""
            }
        }
    }

    private mutating func leave(_ place: Int) {
        let (member, now) = (clients[place].identity, world.cluster.now)
        _ = try? world.ask { cluster throws(BrokerError) in try cluster.leave("g", member, now: now) }
        clients[place] = Client(instance: clients[place].instance)
    }

    private mutating func take(_ place: Int) throws(BrokerError) {
        let (client, now) = (clients[place], world.cluster.now)
        switch client.step {
        case .out:
            let request = JoinRequest(
                group: "g", memberID: client.id, instance: client.instance, subscription: ["input"],
                sessionTimeout: 1000, rebalanceTimeout: 2000)
            switch try world.ask({ cluster throws(BrokerError) in try cluster.join(request, now: now) }) {
            case .memberIDRequired(let id): clients[place].id = id
            case .held(let ticket): clients[place].step = .joining(ticket)
            case nil: break
            }
        case .joining(let ticket), .syncing(let ticket): try wait(for: ticket, place)
        case .joined(let members):
            let assignment = rangeAssignment(members, partitions: ["input": 4])
            let ticket = try world.ask { cluster throws(BrokerError) in
                try cluster.sync("g", client.identity, assignment: assignment, now: now)
            }
            if let ticket { clients[place].step = .syncing(ticket) }
        case .member(let owned):
            commit(owned, client)
            if now < client.beats { return }
            clients[place].beats = now + 300
            _ = try world.ask { cluster throws(BrokerError) in
                try cluster.heartbeat("g", client.identity, now: now)
            }
        }
    }

    /// The answer comes over a connection: where that is cut the request is made again.
    private mutating func wait(for ticket: Ticket, _ place: Int) throws(BrokerError) {
        let answer: GroupAnswer?
        do throws(BrokerError) {
            answer = try world.cluster.answer(to: ticket, now: world.cluster.now)
        } catch {
            guard error == .networkException || error == .notCoordinator else { throw error }
            clients[place].step = .out
            return
        }
        switch answer {
        case .joined(let id, let generation, _, let members):
            clients[place].id = id
            clients[place].generation = generation
            clients[place].step = .joined(members: members)
        case .synced(let owned): clients[place].step = .member(owned)
        case nil: break
        }
    }

    /// Of one partition no offset is taken from an earlier generation, nor from two members of one.
    private mutating func commit(_ owned: [PartitionName], _ client: Client) {
        let (now, name) = (world.cluster.now, client.instance ?? client.id)
        for partition in owned {
            let offsets = [partition: CommittedOffset(0)]
            let isTaken: Void? = try? world.cluster.commitOffsets(offsets, of: "g", member: client.identity, now: now)
            guard isTaken != nil else { continue }
            if let last = newest[partition], last.generation >= client.generation,
                last.generation > client.generation || last.name != name
            {
                found.append("\(partition): \(name) of \(client.generation) after \(last)")
            }
            newest[partition] = Committer(generation: client.generation, name: name)
        }
    }
}
