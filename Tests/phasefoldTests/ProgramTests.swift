import Testing

@testable import phasefold

@Suite struct ProgramTests {
    @Test func helpOfTheProgramAndOfEveryVerbFitsTheTerminal() throws {
        let page = try Executable.run("--help")
        #expect(page.status == 0)
        for command in Command.all {
            #expect(page.out.contains("\n  \(command.name) "), "\(command.name)")
            for arguments in [[command.name, "--help"], [command.name, "-h"], ["help", command.name]] {
                let help = try Executable.run(arguments[0], arguments[1])
                #expect(help.status == 0)
                #expect(help.err.isEmpty)
                #expect(help.out == Help.command(command))
                #expect(help.lines.allSatisfy { $0.count <= 80 }, "\(command.name)")
            }
        }
        #expect(page.lines.allSatisfy { $0.count <= 80 })
    }

    @Test func versionIsPrinted() throws {
        let result = try Executable.run("--version")
        #expect(result.status == 0)
        #expect(result.out == "phasefold \(Program.version)\n")
    }

    /// tcmalloc tells what it gave, at the end of a program that was linked with it.
    @Test func memoryComesFromTheAllocatorThatHandsOverBetweenThreads() throws {
        let result = try Executable.run("--version", environment: ["MALLOCSTATS": "1"])
        let told = result.err.split(separator: "\n").first { $0.hasSuffix("Bytes in use by application") }
        let bytes = told?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        #expect(bytes ?? 0 > 10_000, "\(result.err)")
    }

    @Test func optionsOfOneCommandDiffer() {
        for command in Command.all {
            let longs = command.allOptions.map(\.long)
            let shorts = command.allOptions.compactMap(\.short)
            #expect(Set(longs).count == longs.count, "\(command.name)")
            #expect(Set(shorts).count == shorts.count, "\(command.name)")
            for option in command.allOptions { #expect(option.help.hasSuffix("."), "\(option.long)") }
        }
    }

    /// What people do wrong first: the arguments, the status and the one line.
    static let mistakes: [([String], Int32, String)] = [
        (["simulte"], 64, "unknown verb simulte; did you mean simulate?"),
        (["--versoin"], 64, "unknown option --versoin; did you mean --version?"),
        (["xyzzy"], 64, "unknown verb xyzzy; phasefold --help lists the verbs"),
        (["help", "simulte"], 64, "unknown verb simulte; did you mean simulate?"),
        (["simulate", "--devics", "3"], 64, "simulate: unknown option --devics; did you mean --devices?"),
        (["simulate", "--devices"], 64, "simulate: --devices needs a value: --devices N"),
        (
            ["simulate", "--devices", "x"], 64,
            "simulate: --devices: \"x\" is no whole number; write digits without a unit"
        ),
        (
            ["simulate", "file"], 64,
            "simulate: takes no operand, but \"file\" was given; --help shows the usage"
        ),
        (["simulate", "--set", "emit"], 64, "simulate: --set takes KEY=VALUE, not \"emit\""),
        (["simulate", "--set", "emi=final"], 78, "--set: emi: is unknown; did you mean emit?"),
        (["simulate", "--window", "6"], 78, "--window: window.sizes: \"6\" has no unit; use ms, s, m, h or d"),
        (
            ["simulate", "-c", "/nonexistent"], 78,
            "/nonexistent: cannot be opened: No such file or directory; give the file with -c FILE"
        ),
        (
            ["simulate", "--truth", "/nonexistent/x"], 70,
            "/nonexistent/x cannot be written: No such file or directory; give another file"
        ),
    ]

    @Test(arguments: mistakes)
    func aMistakeGetsOneLineAndItsStatus(arguments: [String], status: Int32, line: String) throws {
        let result = try Executable.run(list: arguments)
        #expect(result.status == status)
        #expect(result.out.isEmpty)
        #expect(result.err == "phasefold: \(line)\n")
    }

    @Test func withoutAVerbTheVerbsAreListed() throws {
        let result = try Executable.run()
        #expect(result.status == 64)
        #expect(result.err == Help.program(Command.all))
    }

    @Test func theEnvironmentIsRead() throws {
        let result = try Executable.run("simulate", environment: ["PHASEFOLD_EMIT": "never"])
        #expect(result.status == 78)
        #expect(result.err == "phasefold: PHASEFOLD_EMIT: emit: \"never\" is unknown; it takes: updates, final\n")
    }

    @Test func aReaderThatLeavesIsNoFault() throws {
        let result = try Executable.shell("\"$0\" simulate -n 50000 | head -n 1; echo ${PIPESTATUS[0]}")
        #expect(result.lines.count == 2)
        #expect(result.lines.last == "0")
        #expect(result.err.isEmpty)
    }

    @Test func aFullDiskIsSaid() throws {
        let result = try Executable.shell("\"$0\" simulate -n 50000 > /dev/full")
        #expect(result.status == 70)
        #expect(
            result.err == "phasefold: standard output: No space left on device; make room, or write elsewhere\n")
    }

    @Test func theSameSeedGivesTheSameBytes() throws {
        let options = ["-n", "300", "-d", "20", "--seed", "7"]
        let first = try Executable.run(list: ["simulate"] + options)
        #expect(first.lines.count == 300)
        #expect(try Executable.run(list: ["simulate"] + options).out == first.out)
        #expect(try Executable.run(list: ["simulate"] + options + ["--seed=8"]).out != first.out)
    }

    @Test func theRateIsKept() throws {
        let start = ContinuousClock.now
        let result = try Executable.run("simulate", "-n", "100", "--rate", "100")
        #expect(result.lines.count == 100)
        #expect(ContinuousClock.now - start >= .milliseconds(900))
    }

    @Test func theTruthIsWritten() throws {
        let file = try TemporaryFile("")
        let events = try Executable.run("simulate", "-n", "500", "--truth", file.path, "-w", "30d", "-g", "app_id")
        #expect(events.lines.count == 500)
        let truth = try TemporaryFile.lines(of: file.path)
        #expect(!truth.isEmpty && truth.allSatisfy { $0.hasPrefix("{\"schema\":1,\"window_start\":") })
    }
}
