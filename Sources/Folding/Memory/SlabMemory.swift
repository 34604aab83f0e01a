/// Memory for what the states of one partition need beside themselves: blocks of some sizes, cut from large pages and
/// used again.
///
/// States come and go by the million, each with a few short lists. From here a list costs some instructions in place
/// of an allocation, and lies in pages for which addresses are translated fast. One writer: touched by the task of
/// the partition alone. All of it goes back to the system with the owner, in use or not.
@safe
final class SlabMemory {
    /// Bytes of the largest block: sizes are each power of two from 16 on and, from 48 on, the half between. What is
    /// larger has a mapping of its own.
    private static let largest = 3 << 16

    /// Stands at the beginning of every page, so that a block finds the way back by its address.
    private struct Header {
        unowned(unsafe) var owner: SlabMemory
        var byteCount: Int
    }

    /// Bytes that the header takes, a line of the cache.
    private static let headerBytes = 64

    /// The first free block of each size, which holds the address of the next one.
    private var free = unsafe InlineArray<27, UnsafeMutableRawPointer?>(repeating: nil)
    private var pages: [UnsafeMutableRawPointer] = unsafe []
    private var next: UnsafeMutableRawPointer?
    /// Bytes behind `next` in the page.
    private var room = 0
    /// Bytes that it has from the system.
    private(set) var byteCount = 0

    init() {}

    deinit {
        for unsafe page in unsafe pages {
            unsafe PagedMemory.release(page, byteCount: page.load(as: Header.self).byteCount)
        }
    }

    @inline(__always)
    private static func sizeIndex(_ byteCount: Int) -> Int {
        if byteCount <= 48 { return max(0, (byteCount - 1) >> 4) }
        let power = Int.bitWidth - (byteCount - 1).leadingZeroBitCount
        return 2 * power - (byteCount <= 3 << (power - 2) ? 10 : 9)
    }

    /// Bytes of a block, by ``sizeIndex(_:)``.
    @inline(__always)
    private static func size(_ index: Int) -> Int {
        if index < 3 { return (index + 1) << 4 }
        return index & 1 == 1 ? 1 << ((index + 9) >> 1) : 3 << ((index + 6) >> 1)
    }

    /// Bytes of the block that ``take(_:)`` gives for so many.
    static func blockSize(_ byteCount: Int) -> Int {
        byteCount <= largest ? size(sizeIndex(byteCount)) : byteCount
    }

    /// A block of ``blockSize(_:)`` bytes, aligned to 16, of any content.
    @unsafe
    func take(_ byteCount: Int) -> UnsafeMutableRawPointer {
        guard byteCount <= Self.largest else { return unsafe makePage(byteCount) + Self.headerBytes }
        let index = Self.sizeIndex(byteCount)
        if let block = unsafe free[index] {
            unsafe free[index] = block.load(as: UnsafeMutableRawPointer?.self)
            return unsafe block
        }
        let size = Self.size(index)
        if room < size {
            unsafe next = makePage(PagedMemory.pageSize - Self.headerBytes) + Self.headerBytes
            room = PagedMemory.pageSize - Self.headerBytes
        }
        guard let block = unsafe next else { preconditionFailure("a page has room") }
        unsafe next = block + size
        room -= size
        return unsafe block
    }

    /// Gives a block back to where it was taken from.
    ///
    /// - Parameter byteCount: as it was taken, or the block's size.
    @unsafe
    static func giveBack(_ block: UnsafeMutableRawPointer, _ byteCount: Int) {
        let page = unsafe block - Int(bitPattern: block) & (PagedMemory.pageSize - 1)
        let owner = unsafe page.load(as: Header.self).owner
        guard byteCount <= largest else { return unsafe owner.drop(page) }
        let index = sizeIndex(byteCount)
        unsafe block.storeBytes(of: owner.free[index], as: UnsafeMutableRawPointer?.self)
        unsafe owner.free[index] = block
    }

    private func makePage(_ byteCount: Int) -> UnsafeMutableRawPointer {
        let size = PagedMemory.roundedUp(byteCount + Self.headerBytes)
        // Of few states there is little: only what comes after the first page is worth a large one.
        let page = unsafe PagedMemory.allocate(byteCount: size, isLarge: !pages.isEmpty)
        unsafe page.initializeMemory(as: Header.self, to: Header(owner: self, byteCount: size))
        unsafe pages.append(page)
        self.byteCount += size
        return unsafe page
    }

    private func drop(_ page: UnsafeMutableRawPointer) {
        let size = unsafe page.load(as: Header.self).byteCount
        unsafe pages.removeAll { unsafe $0 == page }
        byteCount -= size
        unsafe PagedMemory.release(page, byteCount: size)
    }
}
