import BrokerModel

/// I1 of stage 1: what it has said is what it must have.
extension Checks {
    func compare(_ must: Repeats.Rows, _ has: Repeats.Rows) throws {
        if plan.versions > 0 {
            groups.must.take(must)
            groups.has.take(has)
        }
        guard let difference = difference(must, has) else { return }
        // Who comes first has a group of its own, and timers of one moment fire in another order after a restart.
        guard plan.versions > 0, hasRestarted, groups.must.sums == groups.has.sums else { throw difference }
    }

    private func difference(_ must: Repeats.Rows, _ has: Repeats.Rows) -> Violation? {
        guard must.count == has.count else {
            let (a, b) = (Set(must.map { Self.text($0.key) }), Set(has.map { Self.text($0.key) }))
            return Violation(
                "I1", "stage 1: \(must.count) rows, not \(has.count): \(a.symmetricDifference(b).sorted().prefix(3))")
        }
        for (one, other) in zip(must, has) where one.key != other.key || one.value != other.value {
            return Violation(
                "I1", "stage 1 at \(Self.text(one.key)):\n\(Self.text(one.value))\n\(Self.text(other.value))")
        }
        return nil
    }

    /// Rows of what was beyond the limit of groups.
    var otherRows: Int { rows.keys.count { Self.text($0).hasSuffix("/__other__") } }

    /// Tasks that may have found states without an offset: with `at_least_once` those of a worker that died between its
    /// first states and their offset, which are of no use to anybody.
    var uncommittedStates: Int {
        guard plan.mayRepeat else { return 0 }
        return truth.folds.reduce(0) { sum, fold in
            sum + max((net.journeys[fold.name]?.beginnings.count { $0 == nil } ?? 0) - 1, 0)
        }
    }

    /// Whether a row is one of a worker whose partition was another's already: without a transaction nothing holds it
    /// back, and it says of the worker that has the partition nothing.
    func isZombies(_ stored: StoredRecord, in partition: PartitionName) -> Bool {
        guard plan.mayRepeat, let place = places[stored.record.key ?? []] else { return false }
        return net.holdings[partition]?[stored.offset]?.contains(place.kafka) == false
    }

    /// Whether a task has gone on with the states of another.
    private var hasRestarted: Bool {
        truth.folds.contains { fold in
            (net.journeys[fold.name]?.beginnings ?? []).contains { $0.flatMap { Note($0.metadata).mark } != nil }
        }
    }
}
