internal import CPrefetch
internal import Glibc
import Lifecycle

/// Which partition told of which installation in which hour of the clock, in bounded memory.
///
/// A bucket of ``ways`` entries holds all hours of an installation, side by side in two lines of the cache, so that a
/// sighting waits for memory once. Where a bucket is full, the table grows; at its bound, or while most of the others
/// are empty, the oldest hour gives way.
@safe
struct SightingTable: ~Copyable {
    /// Entries of a bucket.
    static let ways = 8
    private static let secondsAnHour = 3600

    /// When one partition told of an installation within one hour.
    ///
    /// Sixteen bytes: hours are counted modulo 2^20 (119 years), times within one in seconds.
    private struct Entry: BitwiseCopyable {
        var installation: UInt64
        private var packed: UInt64

        private static let hourBits: UInt64 = 20
        private static let secondBits: UInt64 = 12

        init(_ installation: UInt64, source: UInt32, hour: Int, second: Int) {
            self.installation = installation
            // A source counts from one: an entry of zeros is a free one.
            packed = UInt64(source + 1) << 45 | UInt64(truncatingIfNeeded: hour) & (1 << Self.hourBits - 1)
            (first, last) = (second, second)
        }

        var isFree: Bool { packed == 0 }
        var source: UInt32 { UInt32(packed >> 45) - 1 }

        var isCounted: Bool {
            get { packed >> 44 & 1 == 1 }
            set { packed = packed & ~(1 << 44) | (newValue ? 1 << 44 : 0) }
        }

        /// Seconds of the hour, of the first time and the last.
        var first: Int {
            get { field(Self.hourBits) }
            set { setField(Self.hourBits, newValue) }
        }
        var last: Int {
            get { field(Self.hourBits + Self.secondBits) }
            set { setField(Self.hourBits + Self.secondBits, newValue) }
        }

        private func field(_ shift: UInt64) -> Int { Int(packed >> shift & (1 << Self.secondBits - 1)) }

        private mutating func setField(_ shift: UInt64, _ value: Int) {
            packed = packed & ~((1 << Self.secondBits - 1) << shift) | UInt64(value) << shift
        }

        /// Hours from another one to this, modulo 2^20.
        func hours(since hour: Int) -> Int {
            let difference = UInt32(truncatingIfNeeded: packed) &- UInt32(truncatingIfNeeded: hour)
            return Int(Int32(bitPattern: difference << 12) >> 12)
        }
    }

    private var memory: UnsafeMutableRawPointer
    private var entries: UnsafeMutablePointer<Entry>
    /// There are 2^`bucketBits` buckets, of 128 bytes.
    private var bucketBits: Int
    private let mostBits: Int
    /// Entries in use: an installation and an hour each.
    private(set) var count = 0

    private static let leastBits = 6

    /// - Parameter bucketBits: there are 2^`bucketBits` buckets at most; more than 0.
    init(bucketBits: Int) {
        mostBits = bucketBits
        self.bucketBits = min(bucketBits, Self.leastBits)
        unsafe (memory, entries) = Self.allocate(self.bucketBits)
    }

    deinit {
        unsafe free(memory)
    }

    private static func allocate(_ bits: Int) -> (UnsafeMutableRawPointer, UnsafeMutablePointer<Entry>) {
        let bucket = ways * MemoryLayout<Entry>.stride
        // One bucket more, so that each begins a line.
        guard let memory = unsafe calloc(1 << bits + 1, bucket) else {
            fatalError("no memory for \((bucket << bits) >> 20) MiB of sightings")
        }
        let first = unsafe memory.alignedUp(toMultipleOf: bucket)
        return unsafe (memory, first.bindMemory(to: Entry.self, capacity: ways << bits))
    }

    /// A bucket is split in two: neither takes more than it has room for.
    private mutating func grow() {
        let (oldMemory, oldEntries, oldCount) = unsafe (memory, entries, Self.ways << bucketBits)
        bucketBits += 1
        unsafe (memory, entries) = Self.allocate(bucketBits)
        for index in 0..<oldCount where unsafe !oldEntries[index].isFree {
            let bucket = unsafe bucket(of: oldEntries[index].installation)
            guard let way = unsafe bucket.firstIndex(where: \.isFree) else { preconditionFailure("half fits a bucket") }
            unsafe bucket[way] = oldEntries[index]
        }
        unsafe free(oldMemory)
    }

    private func bucket(of installation: UInt64) -> UnsafeMutableBufferPointer<Entry> {
        let number = Int(truncatingIfNeeded: (installation &* 0x9e37_79b9_7f4a_7c15) >> (64 - bucketBits))
        return unsafe UnsafeMutableBufferPointer(start: entries + number * Self.ways, count: Self.ways)
    }

    /// Asks for the memory of an installation that will be looked up soon.
    func prefetch(_ installation: UInt64) {
        guard let bucket = unsafe bucket(of: installation).baseAddress else { return }
        unsafe prefetch_line(bucket)
        unsafe prefetch_line(bucket + Self.ways / 2)
    }

    /// Takes one sighting in.
    ///
    /// - Parameters:
    ///   - received: ms since the epoch.
    ///   - source: number of the partition that told it, below 2^19.
    /// - Returns: whether another partition told of the installation within an hour, for the first time in this one.
    mutating func note(_ installation: UInt64, received: Int64, source: UInt32) -> Bool {
        let seconds = Int(received.flooredDivision(by: 1000))
        let hour = seconds.flooredDivision(by: Self.secondsAnHour)
        let second = seconds - hour * Self.secondsAnHour
        var bucket = unsafe bucket(of: installation)
        let mayGrow = bucketBits < mostBits && count > (Self.ways << bucketBits) / 4
        if mayGrow, unsafe !bucket[Self.ways - 1].isFree {
            grow()
            unsafe bucket = self.bucket(of: installation)
        }
        var (own, oldest, isNear) = (-1, 0, false)
        for way in 0..<Self.ways {
            let entry = unsafe bucket[way]
            if entry.isFree {
                oldest = way
                break
            }
            let hours = entry.hours(since: hour)
            if unsafe hours < bucket[oldest].hours(since: hour) { oldest = way }
            guard entry.installation == installation, abs(hours) <= 1 else { continue }
            if hours == 0 { own = way }
            let (first, last) = (hours * Self.secondsAnHour + entry.first, hours * Self.secondsAnHour + entry.last)
            if entry.source != source, max(first - second, second - last) <= Self.secondsAnHour { isNear = true }
        }
        if own < 0 {
            own = oldest
            if unsafe bucket[own].isFree { count += 1 }
            unsafe bucket[own] = Entry(installation, source: source, hour: hour, second: second)
        }
        var entry = unsafe bucket[own]
        let isNew = isNear && !entry.isCounted
        if isNew { entry.isCounted = true }
        if entry.source == source { (entry.first, entry.last) = (min(entry.first, second), max(entry.last, second)) }
        unsafe bucket[own] = entry
        return isNew
    }
}

extension FixedWidthInteger where Self: SignedInteger {
    fileprivate func flooredDivision(by divisor: Self) -> Self {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
