import Lifecycle

extension Device {
    /// Tells the state as one entry.
    ///
    /// - Parameter old: as the reader knows it; nil where the reader knows nothing of it.
    func save(place: UInt32, over old: StateImage?, _ context: FoldContext, to writer: inout StateWriter) {
        let held = context.store[cold]
        var entry = StateEntry.isState
        if old == nil { entry |= StateEntry.isWhole }
        if held != nil { entry |= StateEntry.hasCold }
        writer.begin(place: place, entry: entry)
        if old == nil {
            writer[.key].append(fixed: key.high)
            writer[.key].append(fixed: key.low)
        }
        let before = old ?? StateImage()
        let image = StateImage(of: self, context)
        writer.put(image, over: before)
        held?.save(image, over: before, isWhole: old == nil, to: &writer)
    }

    /// Takes what one entry tells.
    ///
    /// - Parameter memory: the context's.
    mutating func restore(
        _ entry: UInt8, _ reader: inout StateReader, _ context: FoldContext, in memory: SlabMemory
    ) throws(UnreadableBytes) {
        let isWhole = entry & StateEntry.isWhole != 0
        if isWhole {
            let high = try reader[.key].fixed64()
            let held = cold
            removeClocks(context)
            self = Device(InstallationKey(high: high, low: try reader[.key].fixed64()))
            cold = held
        }
        let old = try reader.update(&self, context)
        guard entry & StateEntry.hasCold != 0 else { return removeCold(context) }
        if cold == Self.noCold {
            cold = context.store.make()
        } else if isWhole {
            context.store[cold]?.state.clear()
        }
        try context.store[cold]?.state.load(&reader, of: self, over: old, in: memory)
    }
}
