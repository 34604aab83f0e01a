internal import Kafka

/// Why a worker, or a tool around one, cannot go on: with what people can do about it.
package struct WorkerFailure: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// The cluster was not there at start.
        case unreachable
        /// The configuration or the cluster has to be changed first.
        case configuration
        /// Neither: a fault of the program or of the machine.
        case other
    }

    package var kind: Kind
    /// One line: what, why, and the remedy.
    package var description: String

    init(_ error: KafkaError) {
        description = error.description
        switch error.domain {
        case .transport: kind = .unreachable
        case .configuration, .authentication, .authorization, .topic: kind = .configuration
        default: kind = .other
        }
    }

    init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
