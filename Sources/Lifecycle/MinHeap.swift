/// Takes elements in any order and gives the least first; of equal ones any. Each costs O(log n).
package struct MinHeap<Element: Comparable> {
    /// A binary heap: each element is not greater than the two at twice its place and one and two more.
    package private(set) var elements: ContiguousArray<Element> = []

    package init() {}

    /// Of elements in any order.
    package init(_ elements: some Sequence<Element>) {
        for element in elements { insert(element) }
    }

    package var least: Element? { elements.first }

    package mutating func insert(_ element: Element) {
        var place = elements.count
        elements.append(element)
        while place > 0, elements[place] < elements[(place - 1) / 2] {
            elements.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    package mutating func removeLeast() -> Element? {
        guard let least = elements.first, let last = elements.popLast() else { return nil }
        guard !elements.isEmpty else { return least }
        elements[0] = last
        var place = 0
        while true {
            var smallest = place
            for child in (2 * place + 1)..<min(2 * place + 3, max(elements.count, 2 * place + 1)) {
                if elements[child] < elements[smallest] { smallest = child }
            }
            if smallest == place { return least }
            elements.swapAt(place, smallest)
            place = smallest
        }
    }
}
