/// What a broker answers where it does not do what it is asked. The raw value is the protocol's error code.
package enum BrokerError: Int16, Error, Hashable, Sendable, CaseIterable {
    case offsetOutOfRange = 1
    case unknownTopicOrPartition = 3
    /// The partition's leader is elsewhere, and is not yet known.
    case notLeaderOrFollower = 6
    case messageTooLarge = 10
    case offsetMetadataTooLarge = 12
    /// Nobody answers: the cluster is down. What was asked has not been done.
    case networkException = 13
    case coordinatorLoadInProgress = 14
    case notCoordinator = 16
    /// Of a batch: it cannot be asked now whether its transaction is open.
    case notEnoughReplicas = 19
    case illegalGeneration = 22
    case inconsistentGroupProtocol = 23
    case unknownMemberID = 25
    case rebalanceInProgress = 27
    case topicAlreadyExists = 36
    case invalidPartitions = 37
    case policyViolation = 44
    case outOfOrderSequenceNumber = 45
    case invalidProducerEpoch = 47
    case invalidTxnState = 48
    case invalidProducerIDMapping = 49
    case invalidTransactionTimeout = 50
    case concurrentTransactions = 51
    case nonEmptyGroup = 68
    case groupIDNotFound = 69
    case fencedInstanceID = 82
    case unstableOffsetCommit = 88
    case producerFenced = 90

    /// As the protocol spells it: `NOT_COORDINATOR`.
    package var name: String {
        let letters = Array(String(describing: self))
        var name = ""
        for (index, letter) in letters.enumerated() {
            let isStart =
                index > 0 && letter.isUppercase
                && (letters[index - 1].isLowercase || (index + 1 < letters.count && letters[index + 1].isLowercase))
            name += (isStart ? "_" : "") + letter.uppercased()
        }
        return name
    }
}
