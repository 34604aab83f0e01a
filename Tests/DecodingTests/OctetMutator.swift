import Foundation

/// Spoils bytes at random, the same way for the same seed.
///
/// The seed is that of the variable `PHASEFOLD_SEED`, else a new one; it is
/// printed, so that a failure can be replayed.
struct OctetMutator {
    let seed: UInt64
    private var state: UInt64

    init() {
        let named = ProcessInfo.processInfo.environment["PHASEFOLD_SEED"].flatMap { UInt64($0) }
        seed = named ?? UInt64.random(in: 0...UInt64.max)
        state = seed
        print("PHASEFOLD_SEED=\(seed)")
    }

    mutating func next(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((value ^ (value >> 31)) % UInt64(bound))
    }

    /// The bytes with one to four spoilings: changed, cut, doubled or moved.
    mutating func spoil(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...next(4) where !bytes.isEmpty {
            let place = next(bytes.count)
            switch next(6) {
            case 0: bytes[place] = UInt8(next(256))
            case 1: bytes[place] ^= 1 << next(8)
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + 1 + next(9)))
            case 3:
                let copy = bytes[place..<min(bytes.count, place + 1 + next(9))]
                bytes.insert(contentsOf: copy, at: next(bytes.count))
            case 4: bytes.removeLast(next(bytes.count))
            default: bytes.insert([0, 0x0A, 0x2C, 0x2E, 0x3A, 0x3D, 0x5B, 0x5D, 0x7F, 0x80, 0xFF][next(11)], at: place)
            }
        }
        return bytes
    }
}
