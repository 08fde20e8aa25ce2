/// A problem in the agent's report. The names are those of EarshotMessages and EarshotDiscovery.
package struct AgentProblem: Codable, Sendable, Hashable {
    package var problem: String
    /// The name of the medium; nil for problems of the service.
    package var medium: String?
    /// The directions, if the problem has any.
    package var mode: Int?
    /// The service's code, if the problem has one.
    package var code: String?
    package var detail: String

    package init(problem: String, medium: String? = nil, mode: Int? = nil, code: String? = nil, detail: String) {
        self.problem = problem
        self.medium = medium
        self.mode = mode
        self.code = code
        self.detail = detail
    }
}
