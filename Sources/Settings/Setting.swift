/// One key of the configuration: its name, what its values mean and how they are read.
///
/// `Value` is what the program works with: ms for a duration, bytes for a size.
package struct Setting<Value: Sendable>: Sendable {
    /// The name in files, as in `stuck_inactive.after`.
    package let name: String
    package let section: SettingSection
    package let form: ValueForm
    /// The default, as it would stand in a file; nil where the key has none.
    package let fallback: String?
    /// What an absent default means, for the reference page.
    package let absence: String
    /// One sentence for the reference page.
    package let meaning: String
    let convert: @Sendable (ParsedValue?) -> Value

    /// The value that `parsed` stands for; that of the default where it is nil.
    func value(of parsed: ParsedValue?) -> Value {
        convert(parsed ?? parsedFallback)
    }
}

/// What all settings have in common, whatever their values.
package protocol SettingDescription: Sendable {
    var name: String { get }
    var section: SettingSection { get }
    var form: ValueForm { get }
    var fallback: String? { get }
    var absence: String { get }
    var meaning: String { get }
}

extension Setting: SettingDescription {}

extension SettingDescription {
    /// The default as a value; a default that cannot be read is a fault of the table, found by its test.
    package var parsedFallback: ParsedValue? {
        fallback.flatMap { text in try? form.parse(text) }
    }

    /// The environment variable that sets it.
    package var variable: String { EnvironmentName.prefix + EnvironmentName.suffix(of: name) }
}

/// The parts of the reference page, in its order.
package enum SettingSection: String, CaseIterable, Sendable {
    case application = "Application and topics"
    case input = "Input"
    case order = "Time, order, duplicates"
    case lifecycle = "Lifecycle: limits that decide what is measured"
    case anomalies = "Lifecycle: limits that decide what is anomalous"
    case output = "Output"
    case delivery = "Delivery"
    case serving = "HTTP"
    case logging = "Logs"
}

/// A value after reading, in the unit of its form.
package enum ParsedValue: Sendable, Equatable {
    /// ms, bytes or a count.
    case number(Int64)
    case numbers([Int64])
    case ratio(Double)
    case flag(Bool)
    case text(String)
    case texts([String])

    package var number: Int64? {
        if case .number(let number) = self { number } else { nil }
    }

    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    package var texts: [String]? {
        if case .texts(let texts) = self { texts } else { nil }
    }
}

// MARK: - How the table spells its rows

extension Setting where Value == Int64 {
    static func duration(
        _ name: String, _ section: SettingSection, _ fallback: String, in range: ClosedRange<Int64>, _ meaning: String
    ) -> Setting {
        Setting(name, section, .duration(range), fallback, meaning) { $0?.number ?? 0 }
    }
}

extension Setting where Value == Int {
    static func count(
        _ name: String, _ section: SettingSection, _ fallback: String, in range: ClosedRange<Int64>, _ meaning: String
    ) -> Setting {
        Setting(name, section, .count(range), fallback, meaning) { Int($0?.number ?? 0) }
    }

    static func bytes(
        _ name: String, _ section: SettingSection, _ fallback: String, in range: ClosedRange<Int64>, _ meaning: String
    ) -> Setting {
        Setting(name, section, .bytes(range), fallback, meaning) { Int($0?.number ?? 0) }
    }
}

extension Setting where Value == Int? {
    static func count(
        _ name: String, _ section: SettingSection, absent: String, in range: ClosedRange<Int64>, _ meaning: String
    ) -> Setting {
        Setting(name, section, .count(range), nil, absent: absent, meaning) { $0?.number.map(Int.init) }
    }
}

extension Setting where Value == [Int64] {
    static func durations(
        _ name: String, _ section: SettingSection, _ fallback: String, in range: ClosedRange<Int64>, _ meaning: String
    ) -> Setting {
        Setting(name, section, .durations(range), fallback, meaning) { value in
            if case .numbers(let numbers) = value { numbers } else { [] }
        }
    }
}

extension Setting where Value == Double {
    static func ratio(
        _ name: String, _ section: SettingSection, _ fallback: String, in range: ClosedRange<Double>, _ meaning: String
    ) -> Setting {
        Setting(name, section, .ratio(range), fallback, meaning) { value in
            if case .ratio(let ratio) = value { ratio } else { 0 }
        }
    }
}

extension Setting where Value == Bool {
    static func flag(_ name: String, _ section: SettingSection, _ fallback: String, _ meaning: String) -> Setting {
        Setting(name, section, .flag, fallback, meaning) { $0 == .flag(true) }
    }
}

extension Setting where Value == String {
    /// A text without a default: `run` asks for it, other commands may do without and see "".
    static func required(
        _ name: String, _ section: SettingSection, _ form: ValueForm, _ meaning: String
    ) -> Setting {
        Setting(name, section, form, nil, absent: "needed by run", meaning) { $0?.text ?? "" }
    }
}

extension Setting where Value == String? {
    static func text(
        _ name: String, _ section: SettingSection, _ form: ValueForm, absent: String, _ meaning: String
    ) -> Setting {
        Setting(name, section, form, nil, absent: absent, meaning) { $0?.text }
    }
}

extension Setting where Value == [String] {
    static func texts(
        _ name: String, _ section: SettingSection, _ form: ValueForm, _ fallback: String?, absent: String = "",
        _ meaning: String
    ) -> Setting {
        Setting(name, section, form, fallback, absent: absent, meaning) { $0?.texts ?? [] }
    }
}

extension Setting where Value == ListenAddress {
    static func address(_ name: String, _ section: SettingSection, _ fallback: String, _ meaning: String) -> Setting {
        Setting(name, section, .address, fallback, meaning) { value in
            value?.text.flatMap(ListenAddress.init) ?? .loopback
        }
    }
}

extension Setting where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    static func choice(_ name: String, _ section: SettingSection, _ fallback: Value, _ meaning: String) -> Setting {
        let form = ValueForm.choice(Value.allCases.map(\.rawValue))
        return Setting(name, section, form, fallback.rawValue, meaning) { value in
            value?.text.flatMap(Value.init(rawValue:)) ?? fallback
        }
    }
}

extension Setting {
    static func choices<Choice: RawRepresentable & CaseIterable & Sendable>(
        _ name: String, _ section: SettingSection, _ fallback: [Choice], _ meaning: String
    ) -> Setting where Value == [Choice], Choice.RawValue == String {
        let form = ValueForm.choices(Choice.allCases.map(\.rawValue))
        let text = fallback.map(\.rawValue).joined(separator: ",")
        return Setting(name, section, form, text, meaning) { value in
            value?.texts.map { $0.compactMap(Choice.init(rawValue:)) } ?? fallback
        }
    }

    init(
        _ name: String, _ section: SettingSection, _ form: ValueForm, _ fallback: String?, absent: String = "",
        _ meaning: String, convert: @escaping @Sendable (ParsedValue?) -> Value
    ) {
        self.name = name
        self.section = section
        self.form = form
        self.fallback = fallback
        absence = absent
        self.meaning = meaning
        self.convert = convert
    }
}
