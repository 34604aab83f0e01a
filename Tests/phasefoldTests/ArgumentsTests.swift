import Testing

@testable import phasefold

@Suite struct ArgumentsTests {
    static let options = [
        CommandOption.help, .config, .set, CommandOption("window", "w", value: "LIST", key: "window.sizes", "Sizes."),
        CommandOption("summary", "S", "A table."),
    ]

    func parse(_ line: String) throws -> String {
        let arguments = line.split(separator: " ").map(String.init)
        let invocation = try Arguments.parse(arguments, options: ArgumentsTests.options)
        let given = invocation.given.map { $0.option.value == nil ? $0.option.long : "\($0.option.long)=\($0.value)" }
        return (given + invocation.operands.map { "<\($0)>" }).joined(separator: " ")
    }

    static let lines: [(String, String)] = [
        ("", ""),
        ("a b", "<a> <b>"),
        ("-", "<->"),
        ("--config f --window=1m x", "config=f window=1m <x>"),
        ("-c f -w1m -S", "config=f window=1m summary"),
        ("-Sc f", "summary config=f"),
        ("-Scf", "summary config=f"),
        ("--set a=b --set=c=d=e", "set=a=b set=c=d=e"),
        ("x --summary y", "summary <x> <y>"),
        ("-- --summary -c", "<--summary> <-c>"),
        ("--config -", "config=-"),
        ("--window=", "window="),
    ]

    @Test(arguments: lines)
    func reads(line: String, expected: String) throws {
        #expect(try parse(line) == expected)
    }

    static let wrong: [(String, String)] = [
        ("--sumary", "unknown option --sumary; did you mean --summary?"),
        ("--quite-another", "unknown option --quite-another; --help lists the options"),
        ("-x", "unknown option -x; --help lists the options"),
        ("--config", "--config needs a value: --config FILE"),
        ("-c", "-c needs a value: -c FILE"),
        ("--summary=yes", "--summary takes no value"),
    ]

    @Test(arguments: wrong)
    func saysWhatIsWrong(line: String, message: String) {
        let error = #expect(throws: CommandError.self) { try parse(line) }
        #expect(error?.status == .usage)
        #expect(error?.lines == [message])
    }
}
