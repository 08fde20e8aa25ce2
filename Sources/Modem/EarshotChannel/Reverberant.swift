import EarshotBasics

/// A room: the response from one place in it to another.
public protocol Reverberant: Sendable {
    /// The response at the microphone to one sample of 1 at the loudspeaker; shape [any], average energy 1 over seeds.
    /// Each seed is another pair of places.
    func impulseResponse(sampleRateHertz: Int, seed: UInt64) -> [Float]

    /// The responses at all microphones of an array to one sample of 1 at the loudspeaker; shape [microphones][any]. With one
    /// microphone it is `impulseResponse(sampleRateHertz:seed:)`.
    func impulseResponses(at array: MicrophoneArray, sampleRateHertz: Int, seed: UInt64) -> [[Float]]
}

extension Reverberant {
    /// Independent responses, as of microphones too far apart to share echoes.
    public func impulseResponses(at array: MicrophoneArray, sampleRateHertz: Int, seed: UInt64) -> [[Float]] {
        var generator = SeededGenerator(seed: seed)
        return array.microphones.indices.map { index in
            impulseResponse(sampleRateHertz: sampleRateHertz, seed: index == 0 ? seed : generator.next())
        }
    }
}

extension Room: Reverberant {}
extension ShoeboxRoom: Reverberant {}
