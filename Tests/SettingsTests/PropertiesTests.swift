import Testing

@testable import Settings

@Suite struct PropertiesTests {
    static let forms: [(String, [String])] = [
        ("a=1", ["a|1|1"]),
        ("a = 1\nb: 2\nc 3", ["a|1|1", "b|2|2", "c|3|3"]),
        ("# no\n! no\n\n   \n  a=1", ["a|1|5"]),
        ("a=1\r\nb=2\rc=3", ["a|1|1", "b|2|2", "c|3|3"]),
        ("a = one \\\n    two\\\n  three\nb=2", ["a|one twothree|1", "b|2|4"]),
        ("a = even \\\\\nb=2", ["a|even \\|1", "b|2|2"]),
        ("a=1\\", ["a|1|1"]),
        ("a\\=b=c=d", ["a=b|c=d|1"]),
        ("a\\ b c", ["a b|c|1"]),
        ("a=\\u00e9\\t\\n\\z\\\\", ["a|é\t\nz\\|1"]),
        ("a=\\ud83d\\ude00", ["a|\u{1F600}|1"]),
        ("a=", ["a||1"]),
        ("a", ["a||1"]),
        ("= x", ["|x|1"]),
        ("a=trailing  ", ["a|trailing  |1"]),
        ("a=x#y", ["a|x#y|1"]),
        ("\u{FEFF}a=1", ["a|1|1"]),
        ("# comment \\\na=1", ["a|1|2"]),
        ("", []),
    ]

    @Test(arguments: forms)
    func reads(text: String, expected: [String]) {
        let properties = Properties(text)
        #expect(properties.entries.map { "\($0.key)|\($0.value)|\($0.line)" } == expected)
        #expect(properties.faults.isEmpty)
    }

    @Test func aCutOffEscapeIsAFaultOfItsLine() {
        let properties = Properties("a=1\nb=\\u12\nc=\\u12G4\nd=4")
        #expect(properties.faults.map(\.line) == [2, 3])
        #expect(properties.entries.map(\.key) == ["a", "d"])
    }
}
