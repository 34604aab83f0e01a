import Testing

@testable import Worker

@Suite struct CommitNoteTests {
    @Test func whatIsWrittenIsRead() {
        #expect(CommitNote(CommitNote(time: -5).text) == CommitNote(time: -5))
        let note = CommitNote(time: 7, mark: CheckpointMark(epoch: .max, commit: 9))
        #expect(CommitNote(note.text) == note)
    }

    @Test(arguments: ["", "v1", "v2 7", "v1 seven", "v1 7 8", "v2 7 8 x", "v3 7 8 9", "7"])
    func anythingElseIsNothing(text: String) {
        #expect(CommitNote(text) == nil)
    }
}

@Suite struct HoldMarksTests {
    @Test func anOffsetIsSafeOnceItsSpanIsOver() {
        var marks = HoldMarks(span: 100)
        marks.reached(10, stream: 1000)
        marks.reached(20, stream: 1050)
        #expect(marks.safe(at: 1100) == nil)
        #expect(marks.safe(at: 1101) == 10)
        #expect(marks.safe(at: 1150) == 10)
        #expect(marks.safe(at: 1151) == 20)
        #expect(marks.safe(at: 9999) == 20)
        marks.clear()
        #expect(marks.safe(at: 9999) == nil)
    }

    @Test func marksAreFew() {
        var marks = HoldMarks(span: 1600)
        for offset in 0..<Int64(10_000) { marks.reached(offset, stream: offset) }
        let safe = marks.safe(at: 9999) ?? -1
        #expect(safe + 1600 < 9999)
        #expect(safe + 1600 > 9999 - 110)
    }
}
