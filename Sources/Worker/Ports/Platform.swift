/// What a worker stands on, and all that it knows of the world.
package struct Platform: Sendable {
    package var cluster: any Cluster
    package var scheduler: any Scheduler

    /// By default the real ones.
    package init(cluster: any Cluster = KafkaCluster(), scheduler: any Scheduler = DispatchScheduler()) {
        self.cluster = cluster
        self.scheduler = scheduler
    }
}
