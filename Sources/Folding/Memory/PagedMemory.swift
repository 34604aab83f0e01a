internal import Glibc

/// Zeroed memory straight from the system, in pages as large as it offers.
///
/// States are reached at random: with pages of 4 KiB nearly every event waits for the translation of an address, some
/// 150 ns on a virtual machine; with pages of 2 MiB hardly any does. The system gives memory as it is touched, so
/// that a large block costs what is used of it, rounded up to ``pageSize``.
enum PagedMemory {
    /// Bytes of a large page.
    static let pageSize = 2 << 20

    /// - Parameters:
    ///   - byteCount: more than 0; see ``roundedUp(_:)``.
    ///   - isLarge: large pages are asked for from the beginning on; else behind the first ``pageSize`` bytes: of a
    ///     block that may stay nearly empty small ones spare memory.
    static func allocate(byteCount: Int, isLarge: Bool = true) -> UnsafeMutableRawPointer {
        let size = roundedUp(byteCount)
        // One page more, so that the block can begin where a large page does.
        let (readable, hidden) = (PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)
        guard let reserved = unsafe mmap(nil, size + pageSize, readable, hidden, -1, 0), unsafe reserved != MAP_FAILED
        else { fatalError("no memory for \(size >> 20) MiB of device states: allow more, or use more partitions") }
        let before = -Int(bitPattern: reserved) & (pageSize - 1)
        let base = unsafe reserved + before
        if before > 0 { unsafe munmap(reserved, before) }
        unsafe munmap(base + size, pageSize - before)
        // Where it is refused, small pages do the same, more slowly; of a small block they spare memory.
        let small = isLarge ? 0 : pageSize
        if byteCount >= pageSize, size > small { unsafe madvise(base + small, size - small, MADV_HUGEPAGE) }
        return unsafe base
    }

    static func release(_ base: UnsafeMutableRawPointer, byteCount: Int) {
        unsafe munmap(base, roundedUp(byteCount))
    }

    /// What a block of so many bytes takes at most.
    static func roundedUp(_ byteCount: Int) -> Int { (byteCount + pageSize - 1) & ~(pageSize - 1) }
}
