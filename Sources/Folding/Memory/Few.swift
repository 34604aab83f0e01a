internal import CPrefetch

/// A short list of one owner in the partition's ``SlabMemory``: mostly of no, one or two elements.
///
/// Takes 16 bytes beside its elements, and no memory while it is empty. What it may hold at most is seen to by those
/// who append.
@safe
struct Few<Element: BitwiseCopyable>: ~Copyable {
    private var base: UnsafeMutablePointer<Element>?
    private var length: UInt32 = 0
    private var room: UInt32 = 0

    init() {}

    deinit { giveBack() }

    private func giveBack() {
        guard let base = unsafe base else { return }
        unsafe SlabMemory.giveBack(base, Int(room) * MemoryLayout<Element>.stride)
    }

    var count: Int { Int(length) }
    var isEmpty: Bool { length == 0 }
    var indices: Range<Int> { 0..<count }
    var first: Element? { isEmpty ? nil : self[0] }
    var last: Element? { isEmpty ? nil : self[count - 1] }

    subscript(index: Int) -> Element {
        @inline(__always) get { unsafe at(index).pointee }
        @inline(__always) _modify { yield unsafe &at(index).pointee }
    }

    @inline(__always)
    private func at(_ index: Int) -> UnsafeMutablePointer<Element> {
        guard let base = unsafe base, index >= 0, index < count else {
            preconditionFailure("a list of \(count) has no element \(index)")
        }
        return unsafe base + index
    }

    /// Asks for the first elements, if there are any.
    @inline(__always)
    func prefetch() {
        if let base = unsafe base { unsafe prefetch_line(base) }
    }

    /// Asks for where the next element is appended.
    @inline(__always)
    func prefetchEnd() {
        if let base = unsafe base { unsafe prefetch_line(base + count) }
    }

    // MARK: Looking

    @inline(__always)
    func firstIndex(where isWanted: (Element) throws -> Bool) rethrows -> Int? {
        for index in indices where try isWanted(self[index]) { return index }
        return nil
    }

    func lastIndex(where isWanted: (Element) throws -> Bool) rethrows -> Int? {
        for index in indices.reversed() where try isWanted(self[index]) { return index }
        return nil
    }

    @inline(__always)
    func contains(where isWanted: (Element) throws -> Bool) rethrows -> Bool {
        try firstIndex(where: isWanted) != nil
    }

    func count(where isWanted: (Element) throws -> Bool) rethrows -> Int {
        var number = 0
        for index in indices where try isWanted(self[index]) { number += 1 }
        return number
    }

    func first(where isWanted: (Element) throws -> Bool) rethrows -> Element? {
        try firstIndex(where: isWanted).map { self[$0] }
    }

    func last(where isWanted: (Element) throws -> Bool) rethrows -> Element? {
        try lastIndex(where: isWanted).map { self[$0] }
    }

    func forEach(_ body: (Element) throws -> Void) rethrows {
        for index in indices { try body(self[index]) }
    }

    // MARK: Changing

    /// Makes room for so many more, or for as many of them as a short list has.
    @inline(__always)
    mutating func reserve(_ more: Int, in memory: SlabMemory) {
        let wanted = count + min(more, Self.reservedAtMost)
        if wanted > room { grow(to: wanted, memory) }
    }

    private static var reservedAtMost: Int { 32 }

    mutating func append(_ element: Element, in memory: SlabMemory) {
        if length == room { grow(to: count + 1, memory) }
        guard let base = unsafe base else { preconditionFailure("there is room now") }
        unsafe (base + count).initialize(to: element)
        length += 1
    }

    /// Appends; of a list that is full the first elements go.
    mutating func append(_ element: Element, limit: Int, in memory: SlabMemory) {
        if count >= limit { removeFirst(count - limit + 1) }
        append(element, in: memory)
    }

    mutating func insert(_ element: Element, at index: Int, in memory: SlabMemory) {
        append(element, in: memory)
        var place = count - 1
        while place > index {
            self[place] = self[place - 1]
            place -= 1
        }
        self[index] = element
    }

    @discardableResult
    mutating func remove(at index: Int) -> Element {
        let element = self[index]
        let from = unsafe at(index)
        unsafe from.update(from: from + 1, count: count - index - 1)
        setLength(count - 1)
        return element
    }

    mutating func removeFirst(_ number: Int = 1) {
        guard number > 0 else { return }
        let start = unsafe at(number - 1)
        unsafe at(0).update(from: start + 1, count: count - number)
        setLength(count - number)
    }

    mutating func removeAll(where isGone: (Element) throws -> Bool) rethrows {
        var kept = 0
        for index in indices where try !isGone(self[index]) {
            self[kept] = self[index]
            kept += 1
        }
        setLength(kept)
    }

    mutating func removeAll() { setLength(0) }

    /// Bytes that a list without elements keeps for what comes next; where there are more, all go back.
    private static var keptBytes: Int { 4096 }

    @inline(__always)
    private mutating func setLength(_ count: Int) {
        length = UInt32(count)
        guard count == 0, Int(room) * MemoryLayout<Element>.stride > Self.keptBytes else { return }
        giveBack()
        unsafe base = nil
        room = 0
    }

    private mutating func grow(to count: Int, _ memory: SlabMemory) {
        let stride = MemoryLayout<Element>.stride
        let wanted = max(count, self.count * 2)
        let size = SlabMemory.blockSize(wanted * stride)
        let wider = unsafe memory.take(wanted * stride).bindMemory(to: Element.self, capacity: size / stride)
        if let base = unsafe base { unsafe wider.update(from: base, count: self.count) }
        giveBack()
        unsafe base = wider
        // What was taken for so many is given back as so many.
        room = UInt32(size / stride)
    }
}

extension Few where Element: Equatable {
    func contains(_ element: Element) -> Bool { contains { $0 == element } }
}
