import EarshotChannel
import EarshotConsole
import EarshotSystem

/// A recording as the noise of simulated air: its first channel, at the simulation's sample rate.
enum NoiseFile {
    /// The maximum length kept in memory; each trial uses some seconds from a random place in it.
    private static let maximumSeconds = 120

    static func read(_ path: FilePath, sampleRateHertz: Int) throws -> AirNoise {
        let file = try SoundFileChannel(path, maximumSeconds: maximumSeconds)
        let rate = file.sampleRateHertz
        guard (8_000...384_000).contains(rate) else {
            throw Failure(.data, "Cannot use \(path.escapedForTerminal) as noise: \(rate) Hz is not 8000 to 384000 Hz.")
        }
        guard rate <= 8 * sampleRateHertz else {
            throw Failure(
                .data, "Cannot use \(path.escapedForTerminal) as noise: \(rate) Hz is more than eight times --rate.")
        }
        do throws(RecordedNoiseError) {
            return .recorded(
                try NoiseRecording(file.samples(at: sampleRateHertz), sampleRateHertz: sampleRateHertz))
        } catch {
            throw Failure(.data, "Cannot use \(path.escapedForTerminal) as noise: \(error).")
        }
    }
}
