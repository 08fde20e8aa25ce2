/// The trials to run.
package struct SimulationOrder: Sendable {
    /// The frame, the air and the receiver; its signal-to-noise ratio is replaced point by point.
    package var scene: AirScene
    /// The maximum number of trials a point. Each is a frame from every talker.
    package var trialCount = 1_000
    /// The minimum number of trials a point.
    package var minimumTrialCount = 100
    /// The precision at which a point is known well enough: the distance of its 95 % interval's ends from its middle.
    /// 0.02 stops points with all or no frames decoded after 100 trials, and points at the knee hardly ever before
    /// 1,000. At 0 every trial runs.
    package var precision = 0.02
    /// The first trial's seed. Trials have the same payloads, places and noise at every point, so that a curve is smooth.
    package var seed: UInt64 = 1
    /// How many trials run at the same time. The result does not depend on it.
    package var threadCount = 1

    /// A thousand trials of a scene.
    package init(_ scene: AirScene) {
        self.scene = scene
    }
}
