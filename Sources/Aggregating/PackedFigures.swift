import Lifecycle

/// The packed form of ``Figures``. Numbers are varints (``ByteReader``):
///
///     places     bit set of the plain numbers that follow (FigureSlot)
///     numbers    one for each bit, in order of the bits
///     summaries  bit set of the summaries that follow (SummaryKind), one byte
///       each: sum, min, max − min, zero_count, scale (zigzag), offset (zigzag), number of buckets,
///             counts; a count of 0 is followed by how many more zeros there are
///     inactive_by_reason: number of names; each: name (length, bytes), count, sum
///     exits_by_reason: number of names; each: name, count
///     installations: form, one byte
///       0 marks:     number of them, each eight bytes, ascending
///       1 registers: 3072 bytes, six bits each
///       2 registers: how many are not 0; each: distance from the one before (the first from −1), rank (one byte)
extension ContiguousArray<UInt8> {
    mutating func append(packed figures: borrowing Figures, limit: Int) {
        append(varint: figures.numbers.places)
        for number in figures.numbers.numbers { append(varint: UInt64(number)) }
        var kinds: UInt8 = 0
        for kind in Figures.SummaryKind.allCases where figures[kind] != nil { kinds |= 1 << kind.rawValue }
        append(kinds)
        for kind in Figures.SummaryKind.allCases {
            guard let summary = figures[kind] else { continue }
            append(packed: summary, limit: limit)
        }
        append(varint: UInt64(figures.inactiveByReason.entries.count))
        for entry in figures.inactiveByReason.entries {
            append(text: entry.name)
            append(varint: UInt64(entry.count))
            append(varint: UInt64(entry.sum))
        }
        append(varint: UInt64(figures.exitsByReason.entries.count))
        for entry in figures.exitsByReason.entries {
            append(text: entry.name)
            append(varint: UInt64(entry.count))
        }
        append(packed: figures.installations)
    }

    private mutating func append(packed summary: borrowing Summary, limit: Int) {
        let buckets = summary.histogram.buckets(limit: limit)
        append(varint: UInt64(summary.sum))
        append(varint: UInt64(summary.min))
        append(varint: UInt64(summary.max - summary.min))
        append(varint: summary.histogram.zeroCount)
        append(zigzag: Int64(buckets.scale))
        append(zigzag: Int64(buckets.offset))
        append(varint: UInt64(buckets.counts.count))
        var place = 0
        while place < buckets.counts.count {
            append(varint: buckets.counts[place])
            let first = place
            place += 1
            guard buckets.counts[first] == 0 else { continue }
            while buckets.counts[place] == 0 { place += 1 }
            append(varint: UInt64(place - first - 1))
        }
    }

    private mutating func append(packed sketch: borrowing HyperLogLog) {
        guard sketch.isDense else {
            let marks = sketch.sortedMarks
            append(0)
            append(varint: UInt64(marks.count))
            for mark in marks { append(fixed: mark) }
            return
        }
        let touched = sketch.touchedRegisters
        guard touched * 2 < HyperLogLog.registerBytes else {
            append(1)
            appendRegisters(of: sketch)
            return
        }
        append(2)
        append(varint: UInt64(touched))
        var last = -1
        for register in 0..<HyperLogLog.registerCount {
            let rank = sketch.rank(inRegister: register)
            guard rank > 0 else { continue }
            append(varint: UInt64(register - last))
            append(rank)
            last = register
        }
    }

    /// All registers, six bits each, the first in the highest bits of the first byte.
    mutating func appendRegisters(of sketch: borrowing HyperLogLog) {
        for register in stride(from: 0, to: HyperLogLog.registerCount, by: 4) {
            var bits: UInt32 = 0
            for place in 0..<4 { bits = bits << 6 | UInt32(sketch.rank(inRegister: register + place)) }
            append(UInt8(truncatingIfNeeded: bits >> 16))
            append(UInt8(truncatingIfNeeded: bits >> 8))
            append(UInt8(truncatingIfNeeded: bits))
        }
    }
}

extension Figures {
    /// Reads the packed form.
    init(_ reader: inout ByteReader, _ bytes: borrowing RawSpan, limit: Int) throws(PackedError) {
        self.init()
        var places = try reader.varint(bytes)
        guard places >> UInt64(FigureSlot.count) == 0 else { throw .malformed }
        while places != 0 {
            add(try reader.count(bytes), to: FigureSlot(places.trailingZeroBitCount))
            places &= places &- 1
        }
        let kinds = try reader.byte(bytes)
        guard kinds >> UInt8(SummaryKind.allCases.count) == 0 else { throw .malformed }
        for kind in SummaryKind.allCases where kinds & 1 << kind.rawValue != 0 {
            merge(try Summary(&reader, bytes), into: kind, limit: limit)
        }
        for _ in 0..<(try reader.length(bytes)) {
            let name = try reader.text(bytes)
            inactiveByReason.add(name, count: try reader.count(bytes), sum: try reader.count(bytes))
        }
        for _ in 0..<(try reader.length(bytes)) {
            let name = try reader.text(bytes)
            exitsByReason.add(name, count: try reader.count(bytes), sum: 0)
        }
        installations = try HyperLogLog(&reader, bytes)
    }
}

extension Summary {
    fileprivate init(_ reader: inout ByteReader, _ bytes: borrowing RawSpan) throws(PackedError) {
        let sum = try reader.count(bytes)
        let min = try reader.count(bytes)
        let (max, isTooMuch) = min.addingReportingOverflow(try reader.count(bytes))
        let zeroCount = try reader.varint(bytes)
        let scale = try reader.zigzag(bytes)
        let offset = try reader.zigzag(bytes)
        let length = try reader.varint(bytes)
        guard !isTooMuch, (-8...5).contains(scale), (-1...2048).contains(offset), length <= 4096 else {
            throw .malformed
        }
        var counts = ContiguousArray<UInt64>()
        counts.reserveCapacity(Int(length))
        while counts.count < length {
            let count = try reader.varint(bytes)
            counts.append(count)
            guard count == 0 else { continue }
            let more = try reader.varint(bytes)
            guard more <= length else { throw .malformed }
            counts.append(contentsOf: repeatElement(0, count: Int(more)))
        }
        let buckets = ExponentialHistogram.Buckets(scale: Int(scale), offset: Int32(offset), counts: counts)
        guard counts.count == length,
            let summary = Summary(sum: sum, min: min, max: max, zeroCount: zeroCount, buckets: buckets)
        else { throw .malformed }
        self = summary
    }
}

extension HyperLogLog {
    fileprivate init(_ reader: inout ByteReader, _ bytes: borrowing RawSpan) throws(PackedError) {
        self.init()
        switch try reader.byte(bytes) {
        case 0:
            for _ in 0..<(try reader.length(bytes)) { try take(mark: try reader.fixed(bytes)) }
        case 1:
            for register in stride(from: 0, to: Self.registerCount, by: 4) {
                var bits: UInt32 = 0
                for _ in 0..<3 { bits = bits << 8 | UInt32(try reader.byte(bytes)) }
                for place in 0..<4 { try take(rank: UInt8(bits >> UInt32(18 - 6 * place) & 63), at: register + place) }
            }
        case 2:
            var register = -1
            for _ in 0..<(try reader.length(bytes)) {
                register += Int(truncatingIfNeeded: try reader.varint(bytes) & 0x1FFF)
                guard register < Self.registerCount else { throw .malformed }
                try take(rank: try reader.byte(bytes), at: register)
            }
        default:
            throw .malformed
        }
    }

    private mutating func take(mark: UInt64) throws(PackedError) {
        guard mark != 0 else { throw .malformed }
        add(mark: mark)
    }

    private mutating func take(rank: UInt8, at register: Int) throws(PackedError) {
        guard register >= 0, rank <= Self.largestRank else { throw .malformed }
        raise(register: register, to: rank)
    }
}
