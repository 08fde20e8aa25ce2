/// A room: what a sound becomes on its way from one place to another in it.
public protocol Reverberant: Sendable {
    /// The response at the microphone to one sample of 1 at the loudspeaker; shape [any], energy 1 on the average over
    /// seeds. Every seed is another pair of places.
    func impulseResponse(sampleRateHertz: Int, seed: UInt64) -> [Float]
}

extension Room: Reverberant {}
extension ShoeboxRoom: Reverberant {}
