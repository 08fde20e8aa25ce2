/// The agent's whole work, for people. It contains no key, token or content.
package struct AgentOverview: Codable, Sendable, Hashable {
    package struct App: Codable, Sendable, Hashable {
        package var app: String
        /// The processes of the app that are connected.
        package var processes: [Int32]
        package var isForeground: Bool
        package var operations: [Operation]
        /// How often the agent started the app since the agent's own start, and how often in a row that failed.
        package var startCount: Int
        package var failedStartCount: Int

        package init(
            app: String, processes: [Int32], isForeground: Bool, operations: [Operation], startCount: Int,
            failedStartCount: Int
        ) {
            self.app = app
            self.processes = processes
            self.isForeground = isForeground
            self.operations = operations
            self.startCount = startCount
            self.failedStartCount = failedStartCount
        }
    }

    package struct Operation: Codable, Sendable, Hashable {
        package var id: String
        package var kind: String
        package var type: String
        package var namespace: String
        package var mode: Int
        package var beacons: BackgroundOperation.Beacons?
        package var status: String
        package var media: [String]
        package var problems: [AgentProblem]
        /// Seconds since 1970.
        package var since: Double
        /// The share of time in which it needs the radio to listen; 0 ... 1.
        package var radioShare: Double
        package var nearCount: Int
        package var waitingCount: Int

        package init(
            _ operation: BackgroundOperation, status: String, media: [String], problems: [AgentProblem],
            since: Double, radioShare: Double, nearCount: Int, waitingCount: Int
        ) {
            id = operation.id
            kind = operation.kind
            type = operation.type
            namespace = operation.namespace
            mode = operation.mode
            beacons = operation.beacons
            self.status = status
            self.media = media
            self.problems = problems
            self.since = since
            self.radioShare = radioShare
            self.nearCount = nearCount
            self.waitingCount = waitingCount
        }
    }

    package var process: Int32
    package var uptimeSeconds: Double
    /// The processor time since the agent's start, and its memory now.
    package var cpuSeconds: Double
    package var residentByteCount: Int
    package var apps: [App]

    package init(process: Int32, uptimeSeconds: Double, cpuSeconds: Double, residentByteCount: Int, apps: [App]) {
        self.process = process
        self.uptimeSeconds = uptimeSeconds
        self.cpuSeconds = cpuSeconds
        self.residentByteCount = residentByteCount
        self.apps = apps
    }
}
