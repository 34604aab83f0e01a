/// Takes elements in any order and gives the least first; of equal ones any. Each costs O(log n).
@usableFromInline package struct MinHeap<Element: Comparable> {
    /// A binary heap: no element is greater than the two at twice its place and one and two more.
    @usableFromInline package internal(set) var elements: ContiguousArray<Element>

    @inlinable
    package init() { elements = [] }

    /// Of elements in any order.
    @inlinable
    package init(_ elements: some Sequence<Element>) {
        self.init()
        for element in elements { insert(element) }
    }

    @inlinable @inline(__always)
    package var least: Element? { elements.isEmpty ? nil : elements[0] }

    @inlinable
    package mutating func insert(_ element: Element) {
        var place = elements.count
        elements.append(element)
        while place > 0, elements[place] < elements[(place - 1) / 2] {
            elements.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    @inlinable
    package mutating func removeLeast() -> Element? {
        guard let least, let last = elements.popLast() else { return nil }
        guard !elements.isEmpty else { return least }
        elements[0] = last
        var place = 0
        while true {
            var smallest = place
            let (left, right) = (2 * place + 1, 2 * place + 2)
            if left < elements.count, elements[left] < elements[smallest] { smallest = left }
            if right < elements.count, elements[right] < elements[smallest] { smallest = right }
            if smallest == place { return least }
            elements.swapAt(place, smallest)
            place = smallest
        }
    }
}
