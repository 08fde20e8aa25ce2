/// What is to be simulated.
package struct SimulationOrder: Sendable {
    /// The frame, the air and the receiver; its signal-to-noise ratio is replaced point by point.
    package var scene: AirScene
    /// Trials a point, at most. Each is a frame from every talker.
    package var trialCount = 1_000
    /// Trials a point, at least.
    package var leastTrialCount = 100
    /// A point is known well enough once its 95 % interval reaches no farther than this to either side of its middle:
    /// 0.02 stops where everything or nothing is decoded after 100 trials, and hardly ever at the knee before 1,000. At 0
    /// every trial is made.
    package var precision = 0.02
    /// The first trial's seed. Trials have the same payloads, places and noise at every point, so that a curve is smooth.
    package var seed: UInt64 = 1
    /// How many trials are under way at the same time. The answer does not depend on it.
    package var threadCount = 1

    /// A thousand trials of a scene.
    package init(_ scene: AirScene) {
        self.scene = scene
    }
}
