import Settings
import Testing

/// Every limit of every key, tried at, below and above: the cases are made from the table itself.
@Suite struct LimitTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var key: String
        var value: String
        var isAllowed: Bool
        /// The key's number after reading, where it has one.
        var number: Int64?

        var testDescription: String { "\(key) = \(value.prefix(40))" }
    }

    static let cases: [Case] = SettingTable.rows.flatMap { cases(of: $0) }

    @Test func everyKeyWithALimitIsTried() {
        let tried = Set(Self.cases.map(\.key))
        let rest = SettingTable.rows.filter { !tried.contains($0.name) }
        for row in rest {
            switch row.form {
            case .flag, .choice, .choices, .names, .address, .secret: break
            default: Issue.record("\(row.name) is not tried at its limits")
            }
        }
        #expect(Self.cases.count > 100)
    }

    @Test(arguments: cases)
    func aLimitHolds(_ one: Case) throws {
        let row = try #require(SettingTable.rows.first { $0.name == one.key })
        do throws(ValueFault) {
            let parsed = try row.form.parse(one.value)
            #expect(one.isAllowed, "\(parsed) was taken")
            if let number = one.number { #expect(parsed.number == number) }
        } catch {
            #expect(!one.isAllowed, "\(error)")
            #expect(!error.remedy.isEmpty)
        }
    }

    private static func cases(of row: any SettingDescription) -> [Case] {
        switch row.form {
        case .duration(let range): numbers(row.name, range, unit: "ms")
        case .durations(let range): windows(row.name, range)
        case .bytes(let range): numbers(row.name, range, unit: "B")
        case .count(let range): numbers(row.name, range, unit: "")
        case .ratio(let range): ratios(row.name, range)
        case .text(let limit): texts(row.name, limit)
        case .topic, .topics: texts(row.name, 249)
        case .flag, .choice, .choices, .names, .address, .secret: []
        }
    }

    private static func numbers(_ key: String, _ range: ClosedRange<Int64>, unit: String) -> [Case] {
        let (least, most) = (range.lowerBound, range.upperBound)
        return [
            Case(key: key, value: "\(least)\(unit)", isAllowed: true, number: least),
            Case(key: key, value: "\(least + 1)\(unit)", isAllowed: true, number: least + 1),
            Case(key: key, value: "\(most)\(unit)", isAllowed: true, number: most),
            Case(key: key, value: "\(least - 1)\(unit)", isAllowed: false),
            Case(key: key, value: "\(most + 1)\(unit)", isAllowed: false),
            Case(key: key, value: "99999999999999999999\(unit)", isAllowed: false),
            Case(key: key, value: "\(least + 1)kg", isAllowed: false),
            Case(key: key, value: "", isAllowed: false),
        ]
    }

    private static func windows(_ key: String, _ range: ClosedRange<Int64>) -> [Case] {
        let (least, most) = (range.lowerBound, range.upperBound)
        func sizes(_ count: Int) -> String { (1...count).map { "\($0)s" }.joined(separator: ",") }
        return [
            Case(key: key, value: "\(least)ms", isAllowed: true), Case(key: key, value: "\(most)ms", isAllowed: true),
            Case(key: key, value: "\(least - 1)ms", isAllowed: false),
            Case(key: key, value: "\(most + 1000)ms", isAllowed: false),
            Case(key: key, value: sizes(8), isAllowed: true), Case(key: key, value: sizes(9), isAllowed: false),
            Case(key: key, value: "", isAllowed: false),
        ]
    }

    private static func ratios(_ key: String, _ range: ClosedRange<Double>) -> [Case] {
        let (least, most) = (range.lowerBound, range.upperBound)
        return [
            Case(key: key, value: "\(least)", isAllowed: true), Case(key: key, value: "\(most)", isAllowed: true),
            Case(key: key, value: "\(Int(most * 100))%", isAllowed: true),
            Case(key: key, value: "-0.001", isAllowed: false),
            Case(key: key, value: "\(most + 0.001)", isAllowed: false),
            Case(key: key, value: "\(Int(most * 100) + 1)%", isAllowed: false),
        ]
    }

    private static func texts(_ key: String, _ limit: Int) -> [Case] {
        [
            Case(key: key, value: "x", isAllowed: true),
            Case(key: key, value: String(repeating: "x", count: limit), isAllowed: true),
            Case(key: key, value: String(repeating: "x", count: limit + 1), isAllowed: false),
            Case(key: key, value: "", isAllowed: false),
        ]
    }
}
