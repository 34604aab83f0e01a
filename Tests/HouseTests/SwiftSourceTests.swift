import Testing

/// The reader of sources itself, so that a rule cannot be passed by being misread.
@Suite struct SwiftSourceTests {
    @Test func importsOfEverySpelling() {
        let source = SwiftSource(
            """
            import A
            internal import B
            @testable import C
            package import struct D.Thing
            // import No
            let text = "import No"
            /* import No
               import No */
            @preconcurrency public import E
            """)
        #expect(source.imports == ["A", "B", "C", "D", "E"])
    }

    @Test func functionsAreMeasuredFromKeywordToBrace() {
        let source = SwiftSource(
            #"""
            protocol P {
                func requirement(of a: [Int]) -> Int
                init()
                var p: Int { get }
            }
            struct S {
                var stored = 1
                var computed: Int {
                    stored
                }
                init(a: Int = { 1 }()) {
                    let text = "} \(stored > 0 ? "{" : "}") }"
                    // }
                    self.init()
                }
                subscript(index: Int) -> Int { index }
                func long<T>(_ f: (T) -> Void) where T: Sequence
                {
                    let raw = ##"}"\#(1)"##

                    func inner() {
                    }
                }
            }
            """#)
        typealias Function = SwiftSource.Function
        #expect(
            source.functions == [
                Function(line: 4, length: 1), Function(line: 8, length: 3), Function(line: 11, length: 5),
                Function(line: 16, length: 1), Function(line: 17, length: 7), Function(line: 21, length: 2),
            ])
    }

    @Test func aMultilineStringHidesItsBraces() {
        let quotes = "\"\"\""
        let source = SwiftSource(
            "func f() {\n    let a = \(quotes)\n    } \" {\n    \\(g(\")\"))\n    \(quotes)\n}\nfunc g() {\n}\n")
        #expect(source.functions.map(\.length) == [6, 2])
    }

    @Test func targetsOfAManifestAreFound() {
        let found = Manifest.targets(
            in: """
                .target(name: name, dependencies: f(x), swiftSettings: strict),
                .executableTarget(name: "phasefold", dependencies: []),
                .target(name: "CSimdJSON"),
                """)
        #expect(found.count == 3)
        #expect(found.filter { $0.contains("swiftSettings: strict") }.count == 1)
        #expect(found.map(Manifest.isC) == [false, true, false])
    }
}
