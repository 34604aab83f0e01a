internal import CPrefetch

/// The places whose states changed since the last commit of the checkpoint, or ended, and what was told of them last.
///
/// A busy partition changes states by the hundred thousand between two commits. Their images lie in pages that are
/// used again, so that neither growth copies them nor the system clears fresh memory for every commit.
@safe
struct ChangedStates: ~Copyable {
    struct Change {
        var place: UInt32
        fileprivate var image: UInt32
    }

    private typealias Page = UnsafeMutablePointer<StateImage>

    private static let noImage = UInt32.max
    private static let imagesOfPage = PagedMemory.pageSize / MemoryLayout<StateImage>.stride

    /// Some places more than once.
    private(set) var list: ContiguousArray<Change> = []
    private var pages: ContiguousArray<Page> = unsafe []
    private var imageCount = 0

    deinit {
        for unsafe page in unsafe pages { unsafe PagedMemory.release(page, byteCount: PagedMemory.pageSize) }
    }

    var isEmpty: Bool { list.isEmpty }

    /// - Parameter image: the state before it changed.
    mutating func append(_ place: UInt32, _ image: StateImage) {
        list.append(Change(place: place, image: UInt32(imageCount)))
        let (page, index) = imageCount.quotientAndRemainder(dividingBy: Self.imagesOfPage)
        if unsafe page == pages.count {
            // A partition with few changes is spared a large page.
            let memory = unsafe PagedMemory.allocate(byteCount: PagedMemory.pageSize, isLarge: page > 0)
            unsafe pages.append(memory.bindMemory(to: StateImage.self, capacity: Self.imagesOfPage))
        }
        unsafe pages[page][index] = image
        imageCount += 1
    }

    /// What it was before is not known.
    mutating func append(_ place: UInt32) {
        list.append(Change(place: place, image: Self.noImage))
    }

    private func address(of change: Change) -> Page? {
        guard change.image != Self.noImage else { return nil }
        let (page, index) = Int(change.image).quotientAndRemainder(dividingBy: Self.imagesOfPage)
        return unsafe pages[page] + index
    }

    func image(of change: Change) -> StateImage? { unsafe address(of: change)?.pointee }

    /// Asks for what was told last of a change that is to be written soon.
    func prefetchImage(of change: Change) {
        guard let image = unsafe address(of: change) else { return }
        for line in stride(from: 0, to: MemoryLayout<StateImage>.size, by: 64) {
            unsafe prefetch_line(UnsafeRawPointer(image) + line)
        }
    }

    /// By place, and those of one place in their order: digit by digit, from the lowest.
    mutating func sort() {
        let digit = 11
        guard let largest = list.lazy.map(\.place).max(), largest > 0 else { return }
        var sorted = list
        for shift in stride(from: 0, to: UInt32.bitWidth - largest.leadingZeroBitCount, by: digit) {
            var starts = ContiguousArray(repeating: 0, count: 1 << digit + 1)
            for change in list { starts[Int(change.place >> shift) & (1 << digit - 1) + 1] += 1 }
            for value in 1..<starts.count { starts[value] += starts[value - 1] }
            for change in list {
                let value = Int(change.place >> shift) & (1 << digit - 1)
                sorted[starts[value]] = change
                starts[value] += 1
            }
            swap(&list, &sorted)
        }
    }

    mutating func removeAll() {
        // What a quiet commit did not need goes back, half of it at a time.
        let needed = (imageCount + Self.imagesOfPage - 1) / Self.imagesOfPage
        while unsafe pages.count > max(needed, pages.count / 2), let page = unsafe pages.popLast() {
            unsafe PagedMemory.release(page, byteCount: PagedMemory.pageSize)
        }
        list.removeAll(keepingCapacity: list.count >= list.capacity / 4)
        imageCount = 0
    }
}
