import Checkpointing
import Engine
import Testing

@testable import Worker

@Suite struct CommitNoteTests {
    @Test func whatIsWrittenIsRead() {
        #expect(CommitNote(CommitNote(time: -5).text) == CommitNote(time: -5))
        let note = CommitNote(time: 7, mark: CommitNumber(epoch: .max, commit: 9))
        #expect(CommitNote(note.text) == note)
        let merged = CommitNote(
            time: 7, mark: CommitNumber(epoch: 1, commit: 9), merge: MergePlace(end: 12, frontier: -3))
        #expect(CommitNote(merged.text) == merged)
        let idle = CommitNote(time: 7, isIdle: true)
        #expect(CommitNote(idle.text) == idle && idle != CommitNote(time: 7))
    }

    @Test(arguments: [
        "", "v1", "v2 7", "v1 seven", "v1 7 8", "v2 7 8 x", "v3 7 8 9", "v3 7 8 9 10 x", "v1 7 idler", "7",
    ])
    func anythingElseIsNothing(text: String) {
        #expect(CommitNote(text) == nil)
    }
}
