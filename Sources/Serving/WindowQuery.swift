/// What is asked of `/v1/windows`.
struct WindowQuery: Equatable {
    /// Only records of this app.
    var app: String?
    /// The most records; the newest ones are given.
    var limit = 200
    /// Only records that came or changed after this version.
    var after: UInt64 = 0

    static let limits = 1...5000

    /// - Throws: ``Problem`` for a name or a value that means nothing.
    init(_ parameters: [(name: String, value: String)]) throws(Problem) {
        for (name, value) in parameters {
            switch name {
            case "app": app = value
            case "limit":
                guard let number = Int(value), Self.limits.contains(number) else {
                    throw Problem(.badRequest, "limit takes a number from 1 to 5000, not \"\(value)\"")
                }
                limit = number
            case "after":
                guard let number = UInt64(value) else {
                    throw Problem(.badRequest, "after takes the version of an earlier answer, not \"\(value)\"")
                }
                after = number
            default:
                throw Problem(.badRequest, "there is no parameter \"\(name)\"; there are app, limit and after")
            }
        }
    }

    /// `{"version":N,"windows":[…]}`, the newest records first.
    func answer(from store: WindowStore) -> [UInt8] {
        let snapshot = store.current
        let wanted = app.map { app in
            app.flatMap { $0 == "%" ? "%25" : $0 == "/" ? "%2F" : String($0) }
        }.map { String($0) }
        var body = Array("{\"version\":\(snapshot.version),\"windows\":[".utf8)
        var count = 0
        for record in snapshot.records.reversed() where record.version > after {
            if let wanted, store.app(of: record.key).map({ $0 != wanted }) ?? true { continue }
            if count == limit { break }
            if count > 0 { body.append(UInt8(ascii: ",")) }
            body += record.value
            count += 1
        }
        return body + "]}\n".utf8
    }
}

/// A refusal as RFC 9457 has it.
struct Problem: Error, Equatable {
    enum Status: Int {
        case badRequest = 400
        case unauthorized = 401
        case notFound = 404
        case methodNotAllowed = 405

        var title: String {
            switch self {
            case .badRequest: "Bad Request"
            case .unauthorized: "Unauthorized"
            case .notFound: "Not Found"
            case .methodNotAllowed: "Method Not Allowed"
            }
        }
    }

    let status: Status
    let detail: String

    init(_ status: Status, _ detail: String) {
        self.status = status
        self.detail = detail
    }

    var body: [UInt8] {
        let detail = JSONText.quoted(self.detail)
        return Array(
            #"{"type":"about:blank","title":"\#(status.title)","status":\#(status.rawValue),"detail":\#(detail)}"#.utf8)
            + [UInt8(ascii: "\n")]
    }
}

enum JSONText {
    /// A text as a JSON string, quotes included.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
