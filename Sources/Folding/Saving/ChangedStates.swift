internal import CPrefetch

/// The places whose states changed since the last commit of the checkpoint, or ended, and what was told of them last.
struct ChangedStates {
    struct Change: Comparable {
        var place: UInt32
        fileprivate var image: UInt32

        static func < (a: Change, b: Change) -> Bool { (a.place, a.image) < (b.place, b.image) }
    }

    private static let noImage = UInt32.max
    /// Some places twice, those with an image first.
    private(set) var list: ContiguousArray<Change> = []
    private var images: ContiguousArray<StateImage> = []

    var isEmpty: Bool { list.isEmpty }

    /// - Parameter image: the state before it changed.
    mutating func append(_ place: UInt32, _ image: StateImage) {
        list.append(Change(place: place, image: UInt32(images.count)))
        images.append(image)
    }

    /// What it was before is not known.
    mutating func append(_ place: UInt32) {
        list.append(Change(place: place, image: Self.noImage))
    }

    func image(of change: Change) -> StateImage? { change.image == Self.noImage ? nil : images[Int(change.image)] }

    /// Asks for what was told last of a change that is to be written soon.
    func prefetchImage(of change: Change) {
        guard change.image != Self.noImage else { return }
        unsafe images.withUnsafeBufferPointer { images in
            let image = unsafe images.baseAddress.map { unsafe UnsafeRawPointer($0 + Int(change.image)) }
            for line in stride(from: 0, to: MemoryLayout<StateImage>.size, by: 64) {
                if let image = unsafe image { unsafe prefetch_line(image + line) }
            }
        }
    }

    mutating func sort() { list.sort() }

    mutating func removeAll() {
        let keeps = list.count < 1 << 16
        list.removeAll(keepingCapacity: keeps)
        images.removeAll(keepingCapacity: keeps)
    }
}
