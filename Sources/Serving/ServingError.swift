/// Why the server does not serve: what it is, and what people can do about it.
package struct ServingError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        /// Another program listens there, or the address is not this machine's.
        case addressTaken
        case addressUnknown
        /// Beyond loopback without a token.
        case unguarded
        case system
    }

    package let kind: Kind
    package let text: String
    package let remedy: String

    package var description: String { "\(text); \(remedy)" }
}
