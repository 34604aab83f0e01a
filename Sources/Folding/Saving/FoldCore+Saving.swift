import Lifecycle

extension FoldCore {
    /// Bytes of states after which a block is closed; one state may go beyond.
    static let blockLimit = 384 << 10

    /// Writes what changed since the last time, and forgets that it did.
    mutating func saveChanges(pass: UInt64, _ lexicon: borrowing Lexicon) -> [SavedStates] {
        changed.sort()
        var blocks = BlockWriter(stream: context.stream)
        var last: UInt32?
        for (number, change) in changed.list.enumerated() where change.place != last {
            if number + FoldCore.ahead < changed.list.count {
                let coming = changed.list[number + FoldCore.ahead]
                changed.prefetchImage(of: coming)
                if table.indices.contains(coming.place) { table.prefetch(coming.place) }
                prefetchHeld(changed.list[number + FoldCore.ahead / 2].place)
            }
            last = change.place
            save(change.place, pass: pass, over: changed.image(of: change), to: &blocks, lexicon)
        }
        changed.removeAll()
        toldInPass = FoldCore.mark(of: pass)
        return blocks.finish(lexicon)
    }

    /// Writes those states of some places that were not written in this pass yet.
    mutating func saveSlice(_ places: Range<UInt32>, pass: UInt64, _ lexicon: borrowing Lexicon) -> [SavedStates] {
        var blocks = BlockWriter(stream: context.stream)
        let mark = FoldCore.mark(of: pass)
        for place in places.clamped(to: table.indices) {
            prefetchHeld(place &+ UInt32(FoldCore.ahead))
            let flags = table[place].flags
            guard flags.contains(.inUse), !flags.contains(mark) else { continue }
            save(place, pass: pass, over: nil, to: &blocks, lexicon)
        }
        return blocks.finish(lexicon)
    }

    /// Asks for what the state of a place has beside it, which state should have been asked for before.
    private func prefetchHeld(_ place: UInt32) {
        guard table.indices.contains(place) else { return }
        context.store.prefetch(table[place].cold)
        context.clocks.prefetch(table[place].clocks)
    }

    private static func mark(of pass: UInt64) -> Device.Flags { pass & 1 == 0 ? .savedEven : .savedOdd }

    /// - Parameter old: the state as it was told last; nil where nobody kept it.
    private mutating func save(
        _ place: UInt32, pass: UInt64, over old: StateImage?, to blocks: inout BlockWriter,
        _ lexicon: borrowing Lexicon
    ) {
        guard table.indices.contains(place), table[place].flags.contains(.inUse) else {
            blocks.writer.begin(place: place, entry: 0)
            return blocks.closeIfFull(lexicon)
        }
        let mark = FoldCore.mark(of: pass)
        // What the pass has not told yet no reader may know.
        let known = table[place].flags.contains(mark) ? old : nil
        table[place].save(place: place, over: known, context, to: &blocks.writer)
        context.store[table[place].cold]?.noteSaved(isWhole: known == nil)
        table[place].flags.subtract([.changed, .savedEven, .savedOdd])
        table[place].flags.insert(mark)
        blocks.closeIfFull(lexicon)
    }

    /// Every state whole and in the order of the keys: the same for equal states, whatever their places.
    func snapshot(_ lexicon: borrowing Lexicon) -> ContiguousArray<UInt8> {
        var places = table.indices.filter { table[$0].flags.contains(.inUse) }
        places.sort { (table[$0].key.high, table[$0].key.low) < (table[$1].key.high, table[$1].key.low) }
        var writer = StateWriter(stream: context.stream)
        for (number, place) in places.enumerated() {
            table[place].save(place: UInt32(number), over: nil, context, to: &writer)
        }
        return writer.finish(lexicon)
    }

    // MARK: Restoring

    /// Takes one block.
    mutating func restore(
        _ block: RawSpan, stream: Int64, places: UInt32, _ lexicon: inout Lexicon
    ) throws(UnreadableBytes) -> Int {
        let memory = context.memory
        return try unsafe block.withUnsafeBytes { (bytes) throws(UnreadableBytes) -> Int in
            var reader = unsafe try StateReader(bytes, stream: stream, &lexicon)
            // A state that is told whole may stand at any of the writer's places.
            let told = try reader.places()
            for number in 0..<told.count {
                prefetch(told, number)
                let place = told[number]
                let entry = try reader[.entry].byte()
                guard entry & StateEntry.isState != 0 else {
                    guard entry == 0 else { throw UnreadableBytes() }
                    // The end of what never came to be may lie beyond all states.
                    if table.indices.contains(place) { clear(place) }
                    continue
                }
                guard place < places else { throw UnreadableBytes() }
                try restore(place, entry, &reader, in: memory)
            }
            guard reader.isAtEnd else { throw UnreadableBytes() }
            return told.count
        }
    }

    /// Asks for what the entries to come will change.
    @inline(__always)
    private func prefetch(_ places: borrowing ContiguousArray<UInt32>, _ number: Int) {
        let (state, held, parts) = (number + 3 * FoldCore.ahead, number + 2 * FoldCore.ahead, number + FoldCore.ahead)
        if state < places.count, table.indices.contains(places[state]) { table.prefetch(places[state]) }
        if held < places.count { prefetchHeld(places[held]) }
        if parts < places.count, table.indices.contains(places[parts]) {
            context.store.prefetchParts(table[places[parts]].cold)
        }
    }

    private mutating func clear(_ place: UInt32) {
        removeParts(place)
        table[place].flags = []
    }

    private mutating func restore(
        _ place: UInt32, _ entry: UInt8, _ reader: inout StateReader, in memory: SlabMemory
    ) throws(UnreadableBytes) {
        if entry & StateEntry.isWhole != 0 {
            table.extend(to: Int(place) + 1)
        } else {
            guard table.indices.contains(place), table[place].flags.contains(.inUse) else { throw UnreadableBytes() }
        }
        try table[place].restore(entry, &reader, context, in: memory)
    }

    /// All blocks have been taken: from here on events can be folded.
    ///
    /// - Returns: how many events are held back; nil where what the blocks say cannot be.
    mutating func finishRestore(stream: Int64, watermark: Int64) -> Int? {
        guard table.reindex() else { return nil }
        context.stream = stream
        context.watermark = watermark
        return scheduleAll()
    }

    /// Of no state anything has been told.
    mutating func forgetTold() {
        changed.removeAll()
        notesChanges = false
        for place in table.indices { table[place].flags.subtract([.changed, .savedEven, .savedOdd]) }
    }

    /// The states of these places are to be written with the next commit, whatever becomes of them.
    mutating func noteAll(_ places: some Sequence<UInt32>) {
        for place in places { changed.append(place) }
    }
}

/// Cuts states into blocks.
private struct BlockWriter: ~Copyable {
    var writer: StateWriter
    private var done: [SavedStates] = []

    init(stream: Int64) {
        writer = StateWriter(stream: stream)
    }

    mutating func closeIfFull(_ lexicon: borrowing Lexicon) {
        guard writer.count >= FoldCore.blockLimit else { return }
        close(lexicon)
    }

    private mutating func close(_ lexicon: borrowing Lexicon) {
        done.append(SavedStates(entries: writer.entries, bytes: writer.finish(lexicon)))
        writer = StateWriter(stream: writer.stream)
    }

    mutating func finish(_ lexicon: borrowing Lexicon) -> [SavedStates] {
        if writer.entries > 0 { close(lexicon) }
        return done
    }
}
