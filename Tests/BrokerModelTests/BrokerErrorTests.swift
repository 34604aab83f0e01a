import BrokerModel
import Testing

@Suite struct BrokerErrorTests {
    @Test func namesAreThoseOfTheProtocol() {
        #expect(BrokerError.notCoordinator.name == "NOT_COORDINATOR")
        #expect(BrokerError.unknownMemberID.name == "UNKNOWN_MEMBER_ID")
        #expect(BrokerError.invalidProducerIDMapping.name == "INVALID_PRODUCER_ID_MAPPING")
        #expect(BrokerError.groupIDNotFound.name == "GROUP_ID_NOT_FOUND")
        #expect(BrokerError.notLeaderOrFollower.name == "NOT_LEADER_OR_FOLLOWER")
    }
}
