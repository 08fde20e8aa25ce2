public import EarshotAudio
public import EarshotCoding
public import EarshotModem
import Glibc

/// Plays payloads through a loudspeaker.
///
///     let broadcaster = try Broadcaster(DeviceRequest("default", bufferSeconds: 0.25))
///     try await broadcaster.broadcast(try Payload(hex: "0123456789abcdef"))
public final class Broadcaster: Sendable {
    /// The playback device. Its stream stays open between payloads, so that they do not click.
    public let loudspeaker: Loudspeaker

    private let transmitter: Transmitter
    private let burstCount: Int
    private let amplitude: Float

    /// Opens a playback device.
    /// - Parameters:
    ///   - request: the device and its format.
    ///   - profile: the air format.
    ///   - burstCount: how often each payload is sent, in a burst that a receiver can combine: 1, or one of
    ///     `FrameLayout.burstCounts` for tokens only.
    ///   - levelDecibels: the peak in dBFS, at most 0.
    /// - Throws: `DeviceError` if the device cannot be opened in the requested format.
    public init(
        _ request: DeviceRequest, profile: Profile = .standard, burstCount: Int = 1, levelDecibels: Double = -12
    ) throws(DeviceError) {
        precondition(levelDecibels <= 0, "a peak of \(levelDecibels) dB of full scale")
        self.burstCount = burstCount
        loudspeaker = try Loudspeaker(request)
        let rate = loudspeaker.format.sampleRateHertz
        do throws(ModemError) {
            transmitter = try Transmitter(profile: profile, sampleRateHertz: rate)
        } catch {
            preconditionFailure("a device runs at a rate that was not asked for: \(error)")
        }
        amplitude = Float(pow(10, levelDecibels / 20))
    }

    /// The profile in which the broadcaster sends.
    public var profile: Profile { transmitter.profile }

    /// Plays the frame of a payload, or its burst, after all earlier ones.
    /// - Parameters:
    ///   - payload: the bytes to send.
    ///   - beginNanoseconds: the time at which its first sample should leave the device, by `MonotonicTime`; nil for as
    ///     soon as possible.
    /// - Returns: the times at which it was played, after its last sample has left the device.
    /// - Throws: `DeviceError` if the device fails; `CancellationError` if the task is cancelled, see `Loudspeaker.play`;
    ///   `ModemError` if a burst cannot carry the payload.
    @discardableResult
    public func broadcast(_ payload: Payload, at beginNanoseconds: Int64? = nil) async throws -> Playback {
        try await loudspeaker.play(try samples(payload), at: beginNanoseconds)
    }

    /// Plays a payload as `broadcast` does, and returns immediately: `completion` gets the result or error of
    /// `broadcast`.
    public func enqueue(
        _ payload: Payload, at beginNanoseconds: Int64? = nil,
        _ completion: @escaping @Sendable (Result<Playback, any Error>) -> Void
    ) {
        do throws(ModemError) {
            loudspeaker.enqueue(try samples(payload), at: beginNanoseconds, completion)
        } catch {
            completion(.failure(error))
        }
    }

    private func samples(_ payload: Payload) throws(ModemError) -> [Float] {
        burstCount > 1
            ? try transmitter.burst(payload, frameCount: burstCount, amplitude: amplitude)
            : transmitter.samples(payload, amplitude: amplitude)
    }

    /// Closes the device. A payload that is still playing is faded out.
    public func stop() {
        loudspeaker.stop()
    }
}
