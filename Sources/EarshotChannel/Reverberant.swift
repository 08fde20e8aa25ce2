/// A room: the response from one place in it to another.
public protocol Reverberant: Sendable {
    /// The response at the microphone to one sample of 1 at the loudspeaker; shape [any], energy 1 on the average over
    /// seeds. Each seed stands for another pair of places.
    func impulseResponse(sampleRateHertz: Int, seed: UInt64) -> [Float]
}

extension Room: Reverberant {}
extension ShoeboxRoom: Reverberant {}
