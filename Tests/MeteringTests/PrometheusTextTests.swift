import Testing

@testable import Metering

/// A strict reader of the text form: anything that the format does not know is an error.
struct ExpositionReader {
    struct Sample: Equatable {
        var name: String
        var labels: [String: String]
        var value: Double
    }

    struct Malformed: Error {
        var line: String
    }

    private(set) var types: [String: String] = [:]
    private(set) var helps: [String: String] = [:]
    private(set) var samples: [Sample] = []

    init(_ text: String) throws {
        guard text.isEmpty || text.hasSuffix("\n") else { throw Malformed(line: "no line feed at the end") }
        var family = ""
        var seen: Set<String> = []
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) where !text.isEmpty {
            if line.hasPrefix("# HELP ") {
                let parts = line.dropFirst(7).split(separator: " ", maxSplits: 1)
                family = String(parts[0])
                guard seen.insert(family).inserted, parts.count == 2 else { throw Malformed(line: String(line)) }
                helps[family] = try ExpositionReader.unescape(parts[1], quotes: false)
            } else if line.hasPrefix("# TYPE ") {
                let parts = line.dropFirst(7).split(separator: " ")
                guard parts.count == 2, parts[0] == family, types[family] == nil,
                    ["counter", "gauge", "histogram"].contains(parts[1])
                else { throw Malformed(line: String(line)) }
                types[family] = String(parts[1])
            } else {
                let sample = try ExpositionReader.sample(line)
                try check(sample, of: family)
                samples.append(sample)
            }
        }
    }

    private func check(_ sample: Sample, of family: String) throws {
        var names = [family]
        if types[family] == "histogram" { names = ["_bucket", "_sum", "_count"].map { family + $0 } }
        let isNew = !samples.contains { $0.name == sample.name && $0.labels == sample.labels }
        guard names.contains(sample.name), isNew else { throw Malformed(line: sample.name) }
    }

    private static func sample(_ line: Substring) throws -> Sample {
        var rest = line
        let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == ":") }
        rest = rest.dropFirst(name.count)
        guard let first = name.first, !first.isNumber else { throw Malformed(line: String(line)) }
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest = rest.dropFirst()
            repeat {
                let label = rest.prefix { $0 != "=" }
                rest = rest.dropFirst(label.count)
                guard !label.isEmpty, rest.hasPrefix("=\"") else { throw Malformed(line: String(line)) }
                rest = rest.dropFirst(2)
                guard let end = closingQuote(of: rest) else { throw Malformed(line: String(line)) }
                guard labels[String(label)] == nil else { throw Malformed(line: String(line)) }
                labels[String(label)] = try unescape(rest[..<end], quotes: true)
                rest = rest[rest.index(after: end)...]
            } while rest.popFirst() == ","
            guard line[..<rest.startIndex].hasSuffix("}") else { throw Malformed(line: String(line)) }
        }
        guard rest.first == " ", let value = number(rest.dropFirst()) else { throw Malformed(line: String(line)) }
        return Sample(name: String(name), labels: labels, value: value)
    }

    private static func number(_ text: Substring) -> Double? {
        switch text {
        case "NaN": .nan
        case "+Inf": .infinity
        case "-Inf": -.infinity
        default: text.allSatisfy { "0123456789+-.e".contains($0) } ? Double(text) : nil
        }
    }

    private static func closingQuote(of text: Substring) -> Substring.Index? {
        var escaped = false
        for index in text.indices {
            if escaped {
                escaped = false
            } else if text[index] == "\\" {
                escaped = true
            } else if text[index] == "\"" {
                return index
            }
        }
        return nil
    }

    private static func unescape(_ text: Substring, quotes: Bool) throws -> String {
        var result = ""
        var rest = text
        while let character = rest.popFirst() {
            guard character == "\\" else {
                result.append(character)
                continue
            }
            switch rest.popFirst() {
            case "\\": result.append("\\")
            case "n": result.append("\n")
            case "\"" where quotes: result.append("\"")
            default: throw Malformed(line: String(text))
            }
        }
        return result
    }
}

@Suite struct PrometheusTextTests {
    @Test func whatIsCountedIsRead() throws {
        let metrics = Metrics()
        metrics.counter(\.eventsIn, "1").add(3)
        metrics.counter(\.eventsIn, "0").add()
        metrics.counter(\.eventsIn, "1").add(2)
        metrics.gauge(\.streamTime, "0").set(1_700_000_000.25)
        metrics.gauge(\.ready).set(.infinity)
        let awkward = "a\\b\n\"c\"é,}{="
        metrics.counter(\.deadLetters, awkward).add(7)
        let page = try ExpositionReader(metrics.prometheusText())
        typealias Sample = ExpositionReader.Sample
        #expect(
            page.samples == [
                Sample(name: "phasefold_events_in_total", labels: ["partition": "0"], value: 1),
                Sample(name: "phasefold_events_in_total", labels: ["partition": "1"], value: 5),
                Sample(name: "phasefold_dead_letters_total", labels: ["code": awkward], value: 7),
                Sample(name: "phasefold_stream_time_seconds", labels: ["partition": "0"], value: 1_700_000_000.25),
                Sample(name: "phasefold_ready", labels: [:], value: .infinity),
            ])
        #expect(page.types["phasefold_events_in_total"] == "counter")
        #expect(page.helps["phasefold_ready"] == MetricTable.shared.ready.help)
    }

    @Test func histogramsAreCumulativeWithUpperInclusiveBuckets() throws {
        let metrics = Metrics()
        let histogram = metrics.histogram(\.commitSeconds)
        for value in [0.001, 0.002, 0.0025, 9.5, 11] { histogram.observe(value) }
        let page = try ExpositionReader(metrics.prometheusText())
        let buckets = page.samples.filter { $0.name.hasSuffix("_bucket") }
        #expect(buckets.map { $0.labels["le"] ?? "" }.prefix(2) == ["0.001", "0.0025"])
        #expect(buckets.last?.labels["le"] == "+Inf")
        #expect(buckets.map(\.value) == buckets.map(\.value).sorted())
        #expect(buckets.map(\.value).prefix(3) == [1, 3, 3])
        #expect(buckets.suffix(2).map(\.value) == [4, 5])
        #expect(page.samples.first { $0.name.hasSuffix("_count") }?.value == 5)
        let sum = try #require(page.samples.first { $0.name.hasSuffix("_sum") }?.value)
        #expect(abs(sum - 20.5055) < 1e-9)
    }

    @Test func aSeriesThatIsGivenUpIsGone() throws {
        let metrics = Metrics()
        metrics.gauge(\.lag, "t", "0").set(1)
        metrics.gauge(\.lag, "t", "1").set(2)
        metrics.remove(\.lag, "t", "0")
        #expect(try ExpositionReader(metrics.prometheusText()).samples.map(\.value) == [2])
        #expect(metrics.gauge(\.lag, "t", "0").value == 0)
    }

    @Test func theTableFollowsThePractice() {
        #expect(MetricTable.rows.count == Mirror(reflecting: MetricTable.shared).children.count)
        #expect(Set(MetricTable.rows.map(\.name)).count == MetricTable.rows.count)
        for row in MetricTable.rows {
            #expect(row.name.hasPrefix("phasefold_") || row.name.hasPrefix("process_"))
            #expect((row.kind == .counter) == row.name.hasSuffix("_total"), "\(row.name)")
            if row.unit == .seconds || row.unit == .bytes { #expect(row.name.contains(row.unit.rawValue)) }
            #expect(row.help.hasSuffix("."))
            #expect(Set(row.labels).count == row.labels.count && !row.labels.contains("le"))
        }
        for case let row as HistogramDefinition in MetricTable.rows {
            #expect(row.bounds == row.bounds.sorted() && Set(row.bounds).count == row.bounds.count)
        }
    }

    @Test func processFiguresAreThere() throws {
        let metrics = Metrics()
        ProcessFigures(metrics).refresh()
        let page = try ExpositionReader(metrics.prometheusText())
        #expect(page.types["process_cpu_seconds_total"] == "counter")
        for name in ["process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds"] {
            #expect((page.samples.first { $0.name == name }?.value ?? 0) > 0, "\(name)")
        }
    }

    @Test func threadsLoseNoCount() async {
        let metrics = Metrics()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let counter = metrics.counter(\.recordsIn, "0")
                    let gauge = metrics.gauge(\.httpClients)
                    for _ in 0..<10_000 {
                        counter.add()
                        gauge.add(1)
                    }
                }
            }
        }
        #expect(metrics.counter(\.recordsIn, "0").value == 40_000)
        #expect(metrics.gauge(\.httpClients).value == 40_000)
    }
}
