/// What a batch of events adds to the figures, in order: what folding gives and aggregating takes.
///
/// In memory of its own, with one writer: adding one is a store, without a look at who else might hold the memory.
/// Its storage is kept from batch to batch and grows by doubling; ``removeAll()`` frees nothing.
@safe
@usableFromInline package struct ContributionBatch: ~Copyable {
    @usableFromInline var base: UnsafeMutablePointer<Contribution>
    @usableFromInline var capacity: Int
    @usableFromInline package var count = 0

    package init(capacity: Int = 4096) {
        self.capacity = max(capacity, 1)
        unsafe base = .allocate(capacity: self.capacity)
    }

    deinit { unsafe base.deallocate() }

    /// Lends the contributions so far.
    @inlinable
    package func withSpan<Result>(_ body: (Span<Contribution>) throws -> Result) rethrows -> Result {
        let buffer = unsafe UnsafeBufferPointer(start: base, count: count)
        return try unsafe body(buffer.span)
    }

    @inlinable @inline(__always)
    package mutating func append(_ contribution: Contribution) {
        if count == capacity { grow() }
        unsafe (base + count).initialize(to: contribution)
        count &+= 1
    }

    package mutating func removeAll() { count = 0 }

    @usableFromInline @inline(never)
    mutating func grow() {
        let wider = UnsafeMutablePointer<Contribution>.allocate(capacity: capacity * 2)
        unsafe wider.update(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = wider
        capacity *= 2
    }
}
