/// That an installation was heard of, told once for each ``span`` of its receive times: what shows whether it comes
/// in two partitions.
@usableFromInline package struct Sighting: BitwiseCopyable, Sendable {
    /// ``InstallationKey/low`` of whose it is.
    package var installation: UInt64
    /// Receive time of its first event in the span, ms since the epoch.
    package var received: Int64
    /// Corrected time of that event, ms since the epoch: its window.
    package var time: Int64
    /// Group of that event, an id in ``Lexicon/groups``.
    package var group: UInt32

    /// A quarter of an hour, ms: what is judged within an hour is judged to this.
    @inlinable package static var span: Int64 { 900_000 }

    package init(installation: UInt64, received: Int64, time: Int64, group: UInt32) {
        self.installation = installation
        self.received = received
        self.time = time
        self.group = group
    }
}
