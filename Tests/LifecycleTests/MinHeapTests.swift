import Testing

@testable import Lifecycle

@Suite struct MinHeapTests {
    @Test(arguments: 1...20)
    func whatIsPutInComesOutInOrder(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
        var heap = MinHeap<UInt64>()
        var sorted: [UInt64] = []
        for _ in 0..<500 {
            if next() % 3 > 0 {
                let element = next() % 100
                heap.insert(element)
                sorted.append(element)
                sorted.sort()
            } else {
                #expect(heap.removeLeast() == (sorted.isEmpty ? nil : sorted.removeFirst()))
            }
            #expect(heap.least == sorted.first && heap.elements.count == sorted.count)
        }
        let anew = MinHeap(heap.elements.reversed())
        #expect(anew.least == sorted.first && anew.elements.sorted() == sorted)
    }
}
