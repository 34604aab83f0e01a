import Lifecycle
import Testing

@testable import Checkpointing

@Suite struct BlockTests {
    static var sample: Block {
        var header = BlockHeader()
        header.topic = ContiguousArray("lifecycle".utf8)
        header.partition = 7
        header.nextOffset = 123_456_789
        header.number = CommitNumber(epoch: 1_767_225_600_000, commit: 42)
        (header.part, header.parts) = (2, 3)
        header.base = CommitNumber(epoch: 1_767_225_500_000, commit: 9)
        (header.stream, header.watermark) = (1_767_225_600_123, 1_767_225_600_100)
        header.places = 1000
        header.slice = PassSlice(pass: 3, from: 100, to: 200, end: 900, isFirst: false)
        return Block(header: header, content: ContiguousArray((0..<500).map { UInt8($0 % 50) }))
    }

    @Test func whatIsWrittenIsRead() throws {
        let block = Self.sample
        #expect(try Block(block.bytes) == block)
        #expect(try SealedBlock(block.bytes).header == block.header)
        var bare = block
        bare.header.base = nil
        bare.content = []
        #expect(try Block(bare.bytes) == bare)
    }

    @Test func aTornBlockIsRefused() {
        let bytes = Self.sample.bytes
        for count in 0..<bytes.count {
            #expect(throws: BlockError.self) { try Block(ContiguousArray(bytes.prefix(count))) }
            #expect(throws: BlockError.self) { try SealedBlock(ContiguousArray(bytes.prefix(count))) }
        }
    }

    @Test func aDamagedBlockIsRefused() {
        let bytes = Self.sample.bytes
        for place in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[place] ^= 1 << UInt8(bit)
                #expect(throws: BlockError.self) { try Block(damaged) }
            }
        }
    }

    @Test func anotherVersionIsRefusedByItsName() {
        var bytes = Self.sample.bytes
        bytes[4] = 9
        #expect(throws: BlockError.version(9)) { try Block(bytes) }
        #expect(BlockError.version(9).description.contains("version 9"))
    }

    @Test func aStrangeRecordIsNoBlock() {
        #expect(throws: BlockError.notABlock) { try Block(ContiguousArray("{\"schema\":1,\"a\":2}".utf8)) }
    }

    @Test func contentThatRepeatsTakesLittle() {
        #expect(Self.sample.bytes.count < 300)
    }
}

extension Block {
    fileprivate init(_ bytes: ContiguousArray<UInt8>) throws(BlockError) {
        self = try unsafe Block(bytes.span.bytes)
    }
}

extension SealedBlock {
    fileprivate init(_ bytes: ContiguousArray<UInt8>) throws(BlockError) {
        self = try unsafe SealedBlock(bytes.span.bytes)
    }
}
