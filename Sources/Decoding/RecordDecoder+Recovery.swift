import CSimdJSON
import Lifecycle

extension RecordDecoder {
    /// An array that is no valid JSON as a whole, item by item: each bad one is one bad event.
    ///
    /// The items are those that commas part outside of strings and of brackets within.
    ///
    /// - Returns: whether any item is an object; else, and where brackets or quotes do not match so that no item can
    ///   be told from its neighbour, what stands in the batch is void.
    mutating func decodeItems(
        _ text: RawSpan, key: RawSpan?, of origin: Origin, lexicon: inout Lexicon, into batch: inout EventBatch
    ) -> Bool {
        var start = 0
        while start < text.byteCount, text[byte: start].isBlank { start += 1 }
        guard start < text.byteCount, text[byte: start] == UInt8(ascii: "[") else { return false }
        start += 1
        var index = 0
        var isAnyObject = false
        while let end = text.endOfItem(from: start) {
            let item = text.extracting(start..<end)
            if item.endWithoutBlanks == 0 { return false }
            isAnyObject =
                decodeLine(item, index, key: key, of: origin, lexicon: &lexicon, into: &batch) || isAnyObject
            index += 1
            start = end + 1
            if text[byte: end] == UInt8(ascii: "]") { return isAnyObject && start == text.byteCount }
        }
        return false
    }
}

extension RawSpan {
    /// Where the comma or the bracket stands that ends the item of an array; nil where there is none.
    fileprivate func endOfItem(from start: Int) -> Int? {
        var depth = 0
        var index = start
        while index < byteCount {
            switch self[byte: index] {
            case UInt8(ascii: "\""):
                guard let end = endOfString(from: index + 1) else { return nil }
                index = end
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]") where depth == 0, UInt8(ascii: ",") where depth == 0: return index
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            if depth < 0 { return nil }
            index += 1
        }
        return nil
    }

    /// Where the quote stands that ends a string.
    private func endOfString(from start: Int) -> Int? {
        var index = start
        while index < byteCount {
            switch self[byte: index] {
            case UInt8(ascii: "\""): return index
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }
}
