import BrokerModel
import Kafka

/// What all simulated clients have in common: they ask again where the library of the real ones does.
class Client {
    let net: Net
    let actor: Actor
    /// ms that one request has.
    let timeout: Int64
    /// ms before a request is sent again.
    private let backoff: Int64
    var world: World { net.world }

    init(_ net: Net, _ actor: Actor, _ properties: [String: String]) {
        backoff = Int64(properties["retry.backoff.ms"] ?? "") ?? 100
        self.net = net
        self.actor = actor
        timeout = Int64(properties["socket.timeout.ms"] ?? "") ?? 60_000
    }

    enum Failure: Error {
        case refused(BrokerError)
        /// Nobody wants it any more.
        case abandoned
    }

    private static let passing: Set<BrokerError> = [
        .notLeaderOrFollower, .networkException, .coordinatorLoadInProgress, .notCoordinator, .concurrentTransactions,
        .unstableOffsetCommit,
    ]

    /// Asks until there is an answer that will not pass by itself.
    final func persist<Answer>(
        _ request: Request, while goesOn: @escaping () -> Bool,
        _ body: @escaping (inout ModelCluster, Int64) throws(BrokerError) -> Answer,
        _ done: @escaping (Result<Answer, Failure>) -> Void
    ) {
        let (net, actor, timeout, backoff) = (net, actor, timeout, backoff)
        func attempt() {
            guard goesOn() else { return done(.failure(.abandoned)) }
            net.send(request, for: actor, timeout: timeout, body) { outcome in
                switch outcome {
                case .answer(let answer): return done(.success(answer))
                case .refused(let error) where !Self.passing.contains(error):
                    return done(.failure(.refused(error)))
                case .refused, .lost: break
                }
                net.world.after(backoff, for: actor) { attempt() }
            }
        }
        attempt()
    }

    /// Asks and waits.
    /// - Parameter limit: ms.
    final func ask<Answer>(
        _ request: Request, _ operation: String, limit: Int32,
        _ body: @escaping (inout ModelCluster, Int64) throws(BrokerError) -> Answer
    ) throws(KafkaError) -> Answer {
        world.step()
        let pause = world.pause()
        var result: Result<Answer, Failure>?
        var isOver = false
        persist(request, while: { !isOver }, body) { [world] in
            result = $0
            world.resume(pause)
        }
        world.wait(pause, until: world.now + Int64(limit))
        isOver = true
        world.step()
        switch result {
        case .success(let answer): return answer
        case .failure(.refused(let error)): throw KafkaError(error, operation)
        case .failure(.abandoned), nil: throw .timedOut(operation)
        }
    }
}

extension KafkaError {
    init(_ error: BrokerError, _ operation: String) {
        self.init(code: Int32(error.rawValue), operation: operation)
    }

    static func timedOut(_ operation: String) -> KafkaError { KafkaError(code: -185, operation: operation) }
    static func state(_ operation: String) -> KafkaError { KafkaError(code: -172, operation: operation) }
}
