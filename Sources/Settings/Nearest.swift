/// What a misspelt word was probably meant to be.
package enum Nearest {
    /// The candidate that is fewest slips of the keyboard away from `word`: a letter too many, too few, wrong, or
    /// two swapped; else the one that begins with it. nil where even the nearest is more than a third of its length
    /// away, or several begin with it.
    package static func match(to word: String, in candidates: some Collection<String>) -> String? {
        let letters = Array(word.utf8)
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let other = Array(candidate.utf8)
            let limit = max(1, max(letters.count, other.count) / 3)
            let bound = min(limit, (best?.distance ?? .max) - 1)
            guard abs(letters.count - other.count) <= bound else { continue }
            let found = distance(letters, other)
            if found <= bound { best = (candidate, found) }
        }
        if let best { return best.candidate }
        guard letters.count >= 3 else { return nil }
        let longer = candidates.filter { $0.hasPrefix(word) }
        return longer.count == 1 ? longer[0] : nil
    }

    /// Optimal string alignment distance of `a` and `b`.
    static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var twoBack: [Int] = []
        var previous = Array(0...b.count)
        for i in 0..<a.count {
            var row = [i + 1]
            row.reserveCapacity(b.count + 1)
            for j in 0..<b.count {
                let substituted = previous[j] + (a[i] == b[j] ? 0 : 1)
                var least = min(substituted, previous[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    least = min(least, twoBack[j - 1] + 1)
                }
                row.append(least)
            }
            twoBack = previous
            previous = row
        }
        return previous[b.count]
    }
}
