import Decoding
import Lifecycle
import Testing

@Suite struct RecordDecoderTests {
    @Test func anEmptyRecordMovesStreamTimeOnly() {
        var decoder = RecordDecoder(DecodingOptions())
        var lexicon = Lexicon()
        var batch = EventBatch()
        decoder.decode(RawSpan(), key: nil, timestamp: 7, lexicon: &lexicon, into: &batch)
        #expect(batch.records == 1)
        #expect(batch.rejections.isEmpty)
        #expect(batch.events.count == 1)
        #expect(batch.events.first?.edge == .tick)
        #expect(batch.events.first?.received == 7)
    }
}
