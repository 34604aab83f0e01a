package import Lifecycle

extension Combiner {
    /// Packs what was gathered into one partial record per window and group, appended to `records`, and clears it.
    ///
    /// The records stand in the order in which their windows become final, and the watermark of each is held below
    /// the end of what follows: a reader that stops anywhere between them has no window final for which there is more.
    ///
    /// - Parameters:
    ///   - source: the input partition that was folded.
    ///   - watermark: its stream time, ms since the epoch; `Int64.min` where there is none yet.
    package mutating func closeEpoch(
        source: SourcePartition, watermark: Int64, lexicon: borrowing Lexicon, into records: inout RecordBatch
    ) {
        let settings = settings
        let cells = takeCells()
        let windows = (0..<cells.count).map { cells[$0].window }
        let order = windows.indices.sorted { Window.endsBefore(windows[$0], windows[$1]) }
        for (place, number) in order.enumerated() {
            let window = windows[number]
            let group = GroupName(cells[number].dimensions, groupBy: settings.groupBy, texts: lexicon.texts)
            let figures = cells[number].named(lexicon.texts)
            var safe = watermark
            if place + 1 < order.count {
                safe = min(safe, windows[order[place + 1]].end + settings.windows.grace)
            }
            records.append(.partial, route: window.route(app: group[.app])) { bytes in
                bytes.append(keyOf: window, group: group, groupBy: settings.groupBy)
            } value: { bytes in
                bytes.append(source)
                bytes.append(zigzag: safe)
                bytes.append(window, group)
                bytes.append(packed: figures, limit: settings.maxBuckets)
            }
        }
    }

    /// Appends a record that carries the watermark alone, to be sent after an epoch's partials to every partition of
    /// the partials: those that got none of them would not hear of it otherwise.
    package static func appendWatermark(source: SourcePartition, watermark: Int64, to records: inout RecordBatch) {
        records.append(.watermark, route: 0) { bytes in
            bytes.append(ascii: "watermark/")
            bytes.append(decimal: source.topic, digits: 1)
            bytes.append(UInt8(ascii: "/"))
            bytes.append(decimal: Int64(source.partition))
        } value: { bytes in
            bytes.append(source)
            bytes.append(zigzag: watermark)
        }
    }
}
