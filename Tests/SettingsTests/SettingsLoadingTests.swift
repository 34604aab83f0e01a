import Foundation
import Testing

@testable import Settings

@Suite struct SettingsLoadingTests {
    /// A file that is gone after the test.
    final class TemporaryFile {
        let path: String

        init(_ bytes: some DataProtocol) throws {
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("settings-\(UUID().uuidString)")
            path = url.path
            try Data(bytes).write(to: url)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    func problems(
        file: String? = nil, environment: [String: String] = [:], set: [(String, String)] = [],
        required: [String] = []
    ) -> [String] {
        let overrides = set.map { SettingOverride(key: $0.0, value: $0.1, option: "--set") }
        do throws(SettingsError) {
            _ = try Settings(file: file, environment: environment, overrides: overrides, required: required)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test func optionOverEnvironmentOverFileOverDefault() throws {
        let file = try TemporaryFile(
            Array("emit=final\nwindow.grace=1h\ngroup.limit=5\nkafka.a.b=file\nkafka.consumer.c=1\n".utf8))
        let environment = [
            "PHASEFOLD_WINDOW_GRACE": "2h", "PHASEFOLD_GROUP_LIMIT": "6", "PHASEFOLD_KAFKA_A_B": "environment",
            "HOME": "/", "PHASEFOLD_STUCK_INACTIVE_AFTER": "61s",
        ]
        let settings = try Settings(
            file: file.path, environment: environment,
            overrides: [
                SettingOverride(key: "group.limit", value: "7", option: "--set"),
                SettingOverride(key: "group.limit", value: "8", option: "--limit"),
            ])
        #expect(settings.groupLimit == 8)
        #expect(settings.windowGrace == 7_200_000)
        #expect(settings.emit == .final)
        #expect(settings.stuckInactiveAfter == 61_000)
        #expect(settings.origin(of: \.groupLimit) == .option("--limit"))
        #expect(settings.origin(of: \.windowGrace) == .environment(variable: "PHASEFOLD_WINDOW_GRACE"))
        #expect(settings.origin(of: \.emit) == .file(path: file.path, line: 1))
        #expect(settings.origin(of: \.idleTimeout) == .fallback)
        #expect(settings.kafkaProperties(of: .consumer).map { "\($0)=\($1)" } == ["a.b=environment", "c=1"])
        #expect(settings.kafkaProperties(of: .producer).map { "\($0)=\($1)" } == ["a.b=environment"])
        #expect(settings.kafkaProperties(of: .admin).map { "\($0)=\($1)" } == ["a.b=environment"])
    }

    @Test func oneSideOverBoth() throws {
        let settings = try Settings([
            "kafka.client.id": "all", "kafka.producer.client.id": "p", "kafka.bootstrap.servers": "h:1",
        ])
        #expect(settings.kafkaProperties(of: .producer).map(\.value) == ["h:1", "p"])
        #expect(settings.kafkaProperties(of: .consumer).map(\.value) == ["h:1", "all"])
        #expect(settings.bootstrapServers == "h:1")
    }

    @Test func internalTopicsFollowTheApplication() throws {
        let settings = try Settings(["application.id": "app", "topic.dead_letter": "bad"])
        #expect(settings.partialsTopic == "app-partials")
        #expect(settings.deadLetterTopic == "bad")
        #expect(try Settings(["application.id": "app"]).deadLetterTopic == "app-dead-letter")
    }

    static let wrong: [(String, String, String)] = [
        ("widow.grace", "6h", "is unknown; did you mean window.grace?"),
        ("no.such.thing", "6h", "is unknown; phasefold run --help-config lists all keys"),
        (
            "kafak.bootstrap.servers", "x",
            "is unknown; did you mean kafka.bootstrap.servers?"
        ),
        ("window.grace", "6", "\"6\" has no unit; use ms, s, m, h or d"),
        ("window.grace", "6w", "\"w\" is no unit of this key; use ms, s, m, h or d"),
        ("window.grace", "16MiB", "\"MiB\" is no unit of this key; use ms, s, m, h or d"),
        ("window.grace", "401d", "\"401d\" is out of range; use 0ms to 400d"),
        (
            "window.grace", "99999999999999999h",
            "\"99999999999999999h\" is out of range; use 0ms to 400d"
        ),
        ("window.grace", "soon", "\"soon\" is no number with a unit; write it like 400d"),
        ("window.grace", "-1s", "\"-1s\" is no number with a unit; write it like 400d"),
        ("reorder.delay", "1.5ms", "\"1.5ms\" is not a whole number of ms; use a smaller unit"),
        (
            "window.sizes", "1m,1500ms",
            "\"1500ms\" is not a whole number of seconds; use whole seconds"
        ),
        ("window.sizes", "1m,60s", "\"60s\" is given twice; list every size once"),
        ("window.sizes", "1s,2s,3s,4s,5s,6s,7s,8s,9s", "lists 9 sizes; list at most 8"),
        ("window.sizes", ",", "is empty; list sizes by comma, like 1m,1h"),
        ("input.max_record_bytes", "16", "\"16\" has no unit; use B, KiB, MiB or GiB"),
        ("group.limit", "10k", "\"10k\" is no whole number; write digits without a unit"),
        ("group.limit", "0", "\"0\" is out of range; use 1 to 1000000"),
        ("dlq.max_ratio", "1.5", "\"1.5\" is out of range; use 0.0 to 1.0"),
        ("topics.create", "yes", "\"yes\" is unknown; it takes: true, false"),
        ("emit", "update", "\"update\" is unknown; did you mean updates? It takes: updates, final"),
        ("group.by", "app_id,app_id", "\"app_id\" is given twice; list every name once"),
        (
            "application.id", "a b",
            "\"a b\" is no name of a topic; use 1 to 249 letters, digits, '.', '_' and '-'"
        ),
        ("http.listen", "8088", "\"8088\" is no host:port; write it like 127.0.0.1:8088"),
        (
            "http.listen", "0.0.0.0:80",
            "listens beyond this machine without a token; set http.token, or listen on 127.0.0.1"
        ),
        ("http.token", "", "is empty; give it, or remove the key"),
        (
            "slow_resume.after", "60s",
            "is not below resume.discard, so that no resume could ever be slow; lower it, or raise resume.discard"
        ),
    ]

    @Test(arguments: wrong)
    func saysWhatIsWrongAndWhatToDo(key: String, value: String, line: String) {
        #expect(problems(set: [(key, value)]) == ["--set: \(key): \(line)"])
    }

    @Test func allProblemsAtOnceEachWithItsPlace() throws {
        let file = try TemporaryFile(
            Array(
                """
                # the first line
                window.grace = 6
                wndow.sizes = 1m

                emit = \\u1
                window.grace = 6h
                output.topic = in
                input.topic = in
                """.utf8))
        let found = problems(
            file: file.path, environment: ["PHASEFOLD_GROUP_LIMT": "1"], required: ["application.id", "output.topic"])
        let path = file.path
        #expect(
            found == [
                "\(path):5: \\u is not followed by four hexadecimal digits; write a backslash itself as \\\\",
                "\(path):2: window.grace: \"6\" has no unit; use ms, s, m, h or d",
                "\(path):3: wndow.sizes: is unknown; did you mean window.sizes?",
                "\(path):6: window.grace: is given twice, first in line 2; keep one of the two",
                "PHASEFOLD_GROUP_LIMT: group.limt: is unknown; did you mean group.limit?",
                "\(path): application.id: is missing; add it, or give --set application.id=VALUE",
                "\(path):7: output.topic: is an input topic too, so that the output would be read again; "
                    + "give the output a topic of its own",
            ])
    }

    @Test func filesThatCannotBeRead() throws {
        #expect(
            problems(file: "/nonexistent/x")
                == ["/nonexistent/x: cannot be opened: No such file or directory; give the file with -c FILE"])
        #expect(problems(file: "/") == ["/: cannot be read: Is a directory; give a file of properties"])
        let binary = try TemporaryFile([0x61, 0xFF, 0xFE])
        #expect(problems(file: binary.path) == ["\(binary.path): is not UTF-8; save it as UTF-8"])
        let huge = try TemporaryFile([UInt8](repeating: 0x23, count: (1 << 20) + 1))
        #expect(problems(file: huge.path) == ["\(huge.path): is larger than 1 MiB; give a file of properties"])
        let empty = try TemporaryFile([UInt8]())
        #expect(problems(file: empty.path).isEmpty)
    }

    @Test func topicsOfOneApplicationDiffer() {
        let found = problems(set: [
            ("application.id", "a"), ("input.topic", "in"), ("output.topic", "a-partials"),
        ])
        #expect(
            found == ["default: topic.partials: the topic a-partials has another use already; give each its own topic"])
    }

    @Test func secretsAreNeverShown() throws {
        let settings = try Settings([
            "http.token": "s3cret", "kafka.sasl.password": "s3cret", "kafka.consumer.ssl.key.pem": "s3cret",
            "kafka.sasl.jaas.config": "s3cret", "kafka.client.id": "shown", "emit": "final",
        ])
        #expect(settings.httpToken == "s3cret")
        let shown = settings.entries.map { "\($0.key)=\($0.text)" }
        #expect(!shown.contains { $0.contains("s3cret") })
        #expect(shown.contains("emit=final"))
        #expect(shown.contains("kafka.client.id=shown"))
        #expect(!problems(set: [("http.tokn", "s3cret")]).contains { $0.contains("s3cret") })
    }

    @Test func theReferencePageNamesEveryKeyInEightyColumns() {
        let lines = Reference.page().split(separator: "\n", omittingEmptySubsequences: false)
        for row in SettingTable.rows {
            #expect(lines.contains { $0.hasPrefix("  \(row.name) (") }, "\(row.name)")
        }
        #expect(lines.allSatisfy { $0.count <= Reference.width })
    }

    static let slips: [(String, String?)] = [
        ("replya", "replay"), ("reply", "replay"), ("Run", "run"), ("rn", "run"), ("simulat", "simulate"), ("zzz", nil),
        ("", nil), ("sim", "simulate"), ("re", nil), ("top", "topics"),
    ]

    @Test(arguments: slips)
    func nearest(word: String, expected: String?) {
        let verbs = ["replay", "run", "simulate", "topics"]
        #expect(Nearest.match(to: word, in: verbs) == expected)
    }
}
