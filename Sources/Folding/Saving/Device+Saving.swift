import Lifecycle

extension Device {
    /// Tells the state as one entry.
    ///
    /// - Parameter old: as the reader knows it; nil where the reader knows nothing of it.
    func save(place: UInt32, over old: StateImage?, _ held: Cold?, to writer: inout StateWriter) {
        var entry = StateEntry.isState
        if old == nil { entry |= StateEntry.isWhole }
        if held != nil { entry |= StateEntry.hasCold }
        writer.begin(place: place, entry: entry)
        if old == nil {
            writer[.key].append(fixed: key.high)
            writer[.key].append(fixed: key.low)
        }
        let before = old ?? StateImage()
        let image = StateImage(of: self, held)
        writer.put(image, over: before)
        held?.save(image, over: before, isWhole: old == nil, to: &writer)
    }
}
