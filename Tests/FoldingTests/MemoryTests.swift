import Testing

@testable import Folding

@Suite struct MemoryTests {
    /// Cleared in large pages, a chunk that fills two of them by a little costs both.
    @Test func chunksOfStatesFillTheirPages() {
        let chunk = Pool<ColdState>.chunkBytes
        #expect(PagedMemory.roundedUp(chunk) - chunk <= chunk / 50)
    }

    /// Lists beside each other in one memory, changed at random, are what arrays are.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func listsAreAsArrays(seed: UInt64) {
        var random = Numbers(seed)
        let lists = Lists()
        var arrays = Array(repeating: [Element](), count: Lists.count)
        for _ in 0..<4000 {
            let which = Int(random.next() % UInt64(Lists.count))
            let element = Element(random.next())
            let count = arrays[which].count
            let place = count == 0 ? 0 : Int(random.next() % UInt64(count))
            switch random.next() % 9 {
            case 0...3:
                lists.change(which) { $0.append(element, in: $1) }
                arrays[which].append(element)
            case 4:
                lists.change(which) { $0.insert(element, at: place, in: $1) }
                arrays[which].insert(element, at: place)
            case 5 where count > 0:
                lists.change(which) { list, _ in list.remove(at: place) }
                arrays[which].remove(at: place)
            case 6 where count > 0:
                lists.change(which) { list, _ in list.removeFirst(place) }
                arrays[which].removeFirst(place)
            case 7:
                lists.change(which) { list, _ in list.removeAll { $0.first & 1 == 0 } }
                arrays[which].removeAll { $0.first & 1 == 0 }
            case 8 where count > 40:
                lists.end(which)
                arrays[which] = []
            default:
                lists.change(which) { $0.append(element, limit: 30, in: $1) }
                arrays[which] = arrays[which].suffix(29) + [element]
            }
            #expect(lists.elements(which) == arrays[which])
        }
        for which in 0..<Lists.count { #expect(lists.elements(which) == arrays[which]) }
    }

    @Test func whatIsGivenBackIsUsedAgain() {
        let lists = Lists()
        for number in 0..<1000 as Range<UInt64> { lists.change(0) { $0.append(Element(number), in: $1) } }
        let bytes = lists.byteCount
        for _ in 0..<100 {
            lists.end(0)
            for number in 0..<1000 as Range<UInt64> { lists.change(0) { $0.append(Element(number), in: $1) } }
        }
        #expect(lists.byteCount == bytes)
    }

    @Test func aLongListHasPagesOfItsOwnAndGivesThemBack() {
        let lists = Lists()
        lists.change(1) { $0.append(Element(1), in: $1) }
        let bytes = lists.byteCount
        for number in 0..<50_000 as Range<UInt64> { lists.change(0) { $0.append(Element(number), in: $1) } }
        #expect(lists.byteCount > bytes + 50_000 * 24)
        #expect(lists.elements(0).map(\.first) == (0..<50_000).map { $0 })
        lists.end(0)
        #expect(lists.byteCount <= bytes + 2 * PagedMemory.pageSize)
        #expect(lists.elements(1) == [Element(1)])
    }

    @Test func everySizeOfBlockHoldsWhatWasAskedFor() {
        for bytes in 1...300_000 where bytes < 5000 || bytes % 97 == 0 {
            let size = SlabMemory.blockSize(bytes)
            #expect(size >= bytes && (bytes <= 48 || size * 2 < bytes * 3 + 64), "\(bytes) bytes in \(size)")
            #expect(SlabMemory.blockSize(size) == size)
        }
    }
}

/// Of an odd size, as states are.
private struct Element: Equatable {
    var first: UInt64
    var second: UInt32
    var third: UInt64

    init(_ number: UInt64) {
        first = number
        second = UInt32(truncatingIfNeeded: number >> 7)
        third = ~number
    }
}

/// Lists and their memory, which outlives them.
private final class Lists {
    static let count = 5
    private var one = Few<Element>()
    private var two = Few<Element>()
    private var three = Few<Element>()
    private var four = Few<Element>()
    private var five = Few<Element>()
    private let memory = SlabMemory()

    var byteCount: Int { memory.byteCount }

    func change(_ number: Int, _ act: (inout Few<Element>, SlabMemory) -> Void) {
        switch number {
        case 0: act(&one, memory)
        case 1: act(&two, memory)
        case 2: act(&three, memory)
        case 3: act(&four, memory)
        default: act(&five, memory)
        }
    }

    func end(_ number: Int) { change(number) { list, _ in list = Few() } }

    func elements(_ number: Int) -> [Element] {
        var elements: [Element] = []
        change(number) { list, _ in list.forEach { elements.append($0) } }
        return elements
    }
}

/// Numbers that a seed decides: a linear congruence, of which the high bits are taken.
private struct Numbers {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
