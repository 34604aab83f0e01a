internal import CZstd
internal import Lifecycle

/// A block as it stands in its record: its checksum is right, its header is read, its content is still packed.
package struct SealedBlock: Sendable {
    package let header: BlockHeader
    /// Bytes of the content, unpacked.
    fileprivate let length: Int
    /// Where it stands in the record.
    fileprivate let frame: Range<Int>

    /// Longer than any header, whose topic has 249 bytes at most.
    private static let headLimit = 1024
    private static let checksumSize = 8

    /// - Throws: ``BlockError``: then nothing of it may be trusted.
    package init(_ bytes: RawSpan) throws(BlockError) {
        let end = try Self.checkedEnd(of: bytes)
        let head = bytes.extracting(0..<min(end, Self.headLimit))
        let copy = unsafe head.withUnsafeBytes { unsafe ContiguousArray($0) }
        var reader = ByteColumnReader(copy)
        do throws(UnreadableBytes) {
            _ = try reader.part(Block.magic.count)
            header = try Self.header(&reader, version: try reader.byte())
            let length = try reader.number()
            guard length <= UInt64(Block.contentLimit) else { throw UnreadableBytes() }
            self.length = Int(length)
            frame = (copy.count - reader.left)..<end
        } catch {
            throw .malformed
        }
    }

    /// Where the checksum stands, which is right.
    private static func checkedEnd(of bytes: RawSpan) throws(BlockError) -> Int {
        let begin = unsafe bytes.withUnsafeBytes { unsafe Array($0.prefix(Block.magic.count + 1)) }
        guard begin.count == Block.magic.count + 1, begin.starts(with: Block.magic) else { throw .notABlock }
        guard Block.readable.contains(begin[Block.magic.count]) else { throw .version(begin[Block.magic.count]) }
        let end = bytes.byteCount - checksumSize
        guard end > Block.magic.count + 2 else { throw .checksum }
        let told = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: end, as: UInt64.self)
        guard UInt64(littleEndian: told) == StableHash.hash(bytes.extracting(0..<end)) else { throw .checksum }
        return end
    }

    private static func header(
        _ reader: inout ByteColumnReader, version: UInt8
    ) throws(UnreadableBytes) -> BlockHeader {
        var header = BlockHeader()
        guard let kind = BlockHeader.Kind(rawValue: try reader.byte()) else { throw UnreadableBytes() }
        header.kind = kind
        header.topic = try reader.text()
        guard let partition = Int32(exactly: try reader.signed()) else { throw UnreadableBytes() }
        header.partition = partition
        header.nextOffset = try reader.signed()
        header.number = CommitNumber(epoch: try reader.number(), commit: try reader.number())
        header.part = try reader.small(UInt32.self)
        header.parts = try reader.small(UInt32.self)
        header.changes = version < 3 ? header.parts : try reader.small(UInt32.self)
        if try reader.byte() == 1 {
            header.base = CommitNumber(epoch: try reader.number(), commit: try reader.number())
        }
        header.stream = try reader.signed()
        header.watermark = try reader.signed()
        header.places = try reader.small(UInt32.self)
        header.slice.pass = try reader.number()
        header.slice.from = try reader.small(UInt32.self)
        let (to, overflow) = header.slice.from.addingReportingOverflow(try reader.small(UInt32.self))
        header.slice.to = to
        header.slice.end = try reader.small(UInt32.self)
        header.slice.isFirst = try reader.byte() == 1
        guard !overflow, header.part < header.parts, header.changes <= header.parts else { throw UnreadableBytes() }
        return header
    }
}

/// Unpacks blocks, one after the other, in memory of its own.
@safe package final class BlockReader {
    private var memory: UnsafeMutableRawBufferPointer
    private let context: OpaquePointer?

    package init() {
        unsafe memory = .allocate(byteCount: Block.recordLimit * 2, alignment: 16)
        unsafe context = ZSTD_createDCtx()
    }

    deinit {
        unsafe memory.deallocate()
        unsafe ZSTD_freeDCtx(context)
    }

    /// Lends the content of a block.
    ///
    /// - Parameter bytes: of the record that `block` was read from.
    /// - Throws: where the content is not what the block says.
    package func withContent<Result>(
        of block: SealedBlock, in bytes: RawSpan, _ body: (RawSpan) throws(BlockError) -> Result
    ) throws(BlockError) -> Result {
        if unsafe memory.count < block.length {
            unsafe memory.deallocate()
            unsafe memory = .allocate(byteCount: block.length, alignment: 16)
        }
        let found = unsafe bytes.extracting(block.frame).withUnsafeBytes { frame in
            unsafe ZSTD_decompressDCtx(context, memory.baseAddress, block.length, frame.baseAddress, frame.count)
        }
        guard ZSTD_isError(found) == 0, found == block.length else { throw .malformed }
        return unsafe try body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: memory[..<block.length])))
    }
}
