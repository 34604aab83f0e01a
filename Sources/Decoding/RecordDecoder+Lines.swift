import CSimdJSON
package import Lifecycle

extension RecordDecoder {
    /// Appends the events of records that are the lines of a text, without keys and timestamps, from `start` on:
    /// until there are `enough` events in the batch, or a record could not be read.
    ///
    /// - Parameters:
    ///   - lines: each ends with a line feed, before which a carriage return may stand; the last one may end without.
    ///   - lexicon: takes in the texts and groups of the events.
    /// - Returns: where the next line begins.
    package mutating func decode(
        lines: RawSpan, from start: Int, enough: Int, lexicon: inout Lexicon, into batch: inout EventBatch
    ) -> Int {
        let expectsObjects = takesShortWay && (options.format == .auto || options.format == .json)
        var start = start
        while start < lines.byteCount, batch.events.count < enough, batch.rejections.isEmpty {
            if expectsObjects, let next = decodeObject(of: lines, from: start, lexicon: &lexicon, into: &batch) {
                start = next
            } else {
                start = decodeAny(of: lines, from: start, lexicon: &lexicon, into: &batch)
            }
        }
        return start
    }

    /// A line that is a plain object, whose end is found by reading it.
    ///
    /// - Returns: where the next line begins; nil where this is none.
    @inline(__always)
    private mutating func decodeObject(
        of lines: RawSpan, from start: Int, lexicon: inout Lexicon, into batch: inout EventBatch
    ) -> Int? {
        var object = unsafe pfj_object()
        guard let next = unsafe parser.readLine(of: lines, from: start, &object),
            next - start <= options.maxRecordBytes
        else { return nil }
        let origin = Origin(timestamp: Event.absent, record: batch.records)
        if let fault = unsafe append(EventObject(object), key: nil, of: origin, lexicon: &lexicon, to: &batch) {
            batch.reject(origin, nil, RejectionCode(fault))
        }
        batch.records += 1
        return next
    }

    @inline(never)
    private mutating func decodeAny(
        of lines: RawSpan, from start: Int, lexicon: inout Lexicon, into batch: inout EventBatch
    ) -> Int {
        let next = lines.index(of: .newline, in: start..<lines.byteCount)
        let hasReturn = next > start && lines[byte: next - 1] == UInt8(ascii: "\r")
        let line = lines.extracting(start..<(hasReturn ? next - 1 : next))
        decode(line, key: nil, timestamp: Event.absent, lexicon: &lexicon, into: &batch)
        return min(next + 1, lines.byteCount)
    }
}
