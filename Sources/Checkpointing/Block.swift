internal import CZstd
internal import Lifecycle

/// A block of a checkpoint: header and content, as one record's value.
///
///     magic       "PHCK"
///     version     one byte, ``version``: a reader refuses all that are not of ``readable``
///     kind        one byte
///     header      numbers (``ByteColumn``): topic (length, bytes), partition, next offset, epoch, commit, part, parts,
///                 changes (from version 3 on), base (0; or 1, epoch, commit), stream time, watermark, places,
///                 pass, from, to − from, end, isFirst, length of the content
///     content     a zstd frame
///     checksum    eight bytes, the lowest first: ``StableHash`` of all before
///
/// Any change of what a content's bytes mean changes the version too.
package struct Block: Equatable, Sendable {
    package var header: BlockHeader
    package var content: ContiguousArray<UInt8>

    package static let version: UInt8 = 3
    /// Version 2 does not tell changes from the slice of the pass.
    package static let readable: ClosedRange<UInt8> = 2...version
    /// Bytes of a record at most, unless one state alone has more.
    package static let recordLimit = 512 << 10

    /// More than any writer makes: what claims to be longer is no content.
    static let contentLimit = 64 << 20
    package static let magic: [UInt8] = Array("PHCK".utf8)
    /// Matches alone, without a code for what is left: at 3 a block is 7 % shorter, takes three times as long to pack
    /// and twice as long to unpack.
    private static let level: Int32 = -1

    package init(header: BlockHeader, content: ContiguousArray<UInt8>) {
        self.header = header
        self.content = content
    }

    // MARK: Writing

    /// The value of the block's record.
    package var bytes: ContiguousArray<UInt8> {
        var column = ByteColumn()
        for byte in Self.magic { column.append(byte: byte) }
        column.append(byte: Self.version)
        column.append(byte: header.kind.rawValue)
        Self.append(header, to: &column)
        column.append(UInt64(content.count))
        var bytes = column.bytes
        Self.append(compressed: content, to: &bytes)
        var checksum = ByteColumn()
        checksum.append(fixed: unsafe StableHash.hash(bytes.span.bytes))
        bytes.append(contentsOf: checksum.bytes)
        return bytes
    }

    private static func append(_ header: BlockHeader, to column: inout ByteColumn) {
        column.append(text: header.topic)
        column.append(signed: Int64(header.partition))
        column.append(signed: header.nextOffset)
        column.append(header.number.epoch)
        column.append(header.number.commit)
        column.append(UInt64(header.part))
        column.append(UInt64(header.parts))
        column.append(UInt64(header.changes))
        column.append(byte: header.base == nil ? 0 : 1)
        if let base = header.base {
            column.append(base.epoch)
            column.append(base.commit)
        }
        column.append(signed: header.stream)
        column.append(signed: header.watermark)
        column.append(UInt64(header.places))
        column.append(header.slice.pass)
        column.append(UInt64(header.slice.from))
        column.append(UInt64(header.slice.to - header.slice.from))
        column.append(UInt64(header.slice.end))
        column.append(byte: header.slice.isFirst ? 1 : 0)
    }

    private static func append(compressed content: ContiguousArray<UInt8>, to bytes: inout ContiguousArray<UInt8>) {
        let bound = ZSTD_compressBound(content.count)
        let frame = unsafe ContiguousArray<UInt8>(unsafeUninitializedCapacity: bound) { buffer, count in
            count = unsafe content.withUnsafeBytes { source in
                unsafe ZSTD_compress(buffer.baseAddress, bound, source.baseAddress, source.count, level)
            }
            precondition(ZSTD_isError(count) == 0, "zstd compresses what it has room for")
        }
        bytes.append(contentsOf: frame)
    }

    // MARK: Reading

    /// - Throws: ``BlockError``: then nothing of it may be trusted.
    package init(_ bytes: RawSpan) throws(BlockError) {
        let sealed = try SealedBlock(bytes)
        header = sealed.header
        let reader = BlockReader()
        content = try reader.withContent(of: sealed, in: bytes) { content in
            unsafe content.withUnsafeBytes { unsafe ContiguousArray($0) }
        }
    }
}

/// Why a record is no block that may be used.
package enum BlockError: Error, Equatable, Sendable {
    /// Nothing that this program wrote.
    case notABlock
    /// Written by a program whose format this one does not know.
    case version(UInt8)
    /// Its bytes are not those that were written, or not all of them.
    case checksum
    /// What it says cannot be.
    case malformed
}

extension BlockError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notABlock: "the record is no block of a checkpoint"
        case .version(let version):
            "the block has format version \(version), and this program reads versions "
                + "\(Block.readable.lowerBound) to \(Block.readable.upperBound)"
        case .checksum: "the block is torn or damaged: its checksum is wrong"
        case .malformed: "the block says what cannot be"
        }
    }
}
