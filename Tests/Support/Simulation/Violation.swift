/// What must hold and does not.
struct Violation: Error, CustomStringConvertible {
    var invariant: String
    var text: String

    init(_ invariant: String, _ text: String) {
        self.invariant = invariant
        self.text = text
    }

    var description: String { "\(invariant): \(text)" }
}
