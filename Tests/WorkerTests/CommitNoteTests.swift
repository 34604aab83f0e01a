import Checkpointing
import Testing

@testable import Worker

@Suite struct CommitNoteTests {
    @Test func whatIsWrittenIsRead() {
        #expect(CommitNote(CommitNote(time: -5).text) == CommitNote(time: -5))
        let note = CommitNote(time: 7, mark: CommitNumber(epoch: .max, commit: 9))
        #expect(CommitNote(note.text) == note)
    }

    @Test(arguments: ["", "v1", "v2 7", "v1 seven", "v1 7 8", "v2 7 8 x", "v3 7 8 9", "7"])
    func anythingElseIsNothing(text: String) {
        #expect(CommitNote(text) == nil)
    }
}
