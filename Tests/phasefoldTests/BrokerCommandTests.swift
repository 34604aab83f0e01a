import Testing

@testable import phasefold

/// The commands that need a broker, as far as they get without one.
@Suite struct BrokerCommandTests {
    static let keys = [
        "--set", "application.id=a", "--set", "input.topic=in", "--set", "output.topic=out", "--set",
        "kafka.bootstrap.servers=127.0.0.1:1",
    ]

    static let mistakes: [([String], Int32, String)] = [
        (["topics"], 64, "topics: needs one of create, check"),
        (["topics", "create", "check"], 64, "topics: needs one of create, check"),
        (["topics", "craete"], 64, "topics: unknown action craete; did you mean create?"),
        (["topics", "drop"], 64, "topics: unknown action drop; it takes create or check"),
        (["check", "file"], 64, "check: takes no operand, but \"file\" was given; --help shows the usage"),
        (
            ["simulate", "--topic", "t"], 78,
            "configuration: kafka.bootstrap.servers: is missing; add it, or give --set kafka.bootstrap.servers=VALUE"
        ),
        (
            ["reset", "--to-time", "noon"], 64,
            "reset: --to-time: \"noon\" is no whole number; write digits without a unit"
        ),
        (["run", "file"], 64, "run: takes no operand, but \"file\" was given; --help shows the usage"),
    ]

    @Test(arguments: mistakes)
    func aMistakeGetsOneLineAndItsStatus(arguments: [String], status: Int32, line: String) throws {
        let result = try Executable.run(list: arguments)
        #expect(result.status == status)
        #expect(result.out.isEmpty)
        #expect(result.err == "phasefold: \(line)\n")
    }

    @Test(arguments: [["run"], ["check"], ["topics", "check"], ["reset"]])
    func missingKeysAreNamedAllAtOnce(arguments: [String]) throws {
        let file = try TemporaryFile("application.id = a\n")
        let result = try Executable.run(list: arguments + ["-c", file.path])
        #expect(result.status == 78)
        let expected = ["input.topic", "output.topic", "kafka.bootstrap.servers"].map { key in
            "phasefold: \(file.path): \(key): is missing; add it, or give --set \(key)=VALUE\n"
        }
        #expect(result.err == expected.joined())
    }

    static let seekers: [([String], Int32)] = [
        (["run"], 69), (["check"], 78), (["topics", "check"], 69), (["topics", "create"], 69),
        (["simulate", "--topic", "t"], 69), (["reset"], 69), (["reset", "--dry-run"], 69),
    ]

    @Test(arguments: seekers)
    func aBrokerThatIsNotThereIsSaid(arguments: [String], status: Int32) throws {
        let page = ["--set", "http.listen=127.0.0.1:0"]
        let result = try Executable.run(list: arguments + BrokerCommandTests.keys + page)
        #expect(result.status == status)
        let last = result.err.split(separator: "\n").last ?? ""
        #expect(last.hasPrefix("phasefold: ") && last.contains("kafka.bootstrap.servers"), "\(result.err)")
    }

    @Test func checkShowsWhatWasGivenWithoutSecrets() throws {
        let file = try TemporaryFile("kafka.sasl.password = s3cret\nhttp.token=s3cret\n")
        let result = try Executable.run(
            list: ["check", "-c", file.path] + BrokerCommandTests.keys, environment: ["PHASEFOLD_EMIT": "final"])
        #expect(result.lines.contains("application.id = a  (--set)"))
        #expect(result.lines.contains("emit = final  (PHASEFOLD_EMIT)"))
        #expect(result.lines.contains("kafka.sasl.password = ********  (\(file.path):1)"))
        #expect(!(result.out + result.err).contains("s3cret"))
    }

    @Test func theReferencePageIsPrintedWithoutAConfiguration() throws {
        let result = try Executable.run("run", "--help-config")
        #expect(result.status == 0)
        #expect(result.lines.contains { $0.hasPrefix("  window.grace (") })
        #expect(result.lines.allSatisfy { $0.count <= 80 })
    }
}
