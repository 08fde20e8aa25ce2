import EarshotAudio
import EarshotChannel
import EarshotConsole
import EarshotSoundConsole
import EarshotSystem

/// A recording as the noise of simulated air: its first channel, at the simulation's sample rate.
enum NoiseFile {
    /// The maximum length kept in memory; each trial uses some seconds from a random place in it.
    private static let maximumSeconds = 120

    static func read(_ path: FilePath, sampleRateHertz: Int) throws -> AirNoise {
        let (samples, rate) = try samples(path)
        guard rate <= 8 * sampleRateHertz else {
            throw Failure(
                .data, "Cannot use \(path.escapedForTerminal) as noise: \(rate) Hz is more than eight times --rate.")
        }
        var sound = Warped(StoredSound(samples), .conversion(from: rate, to: sampleRateHertz))
        do throws(RecordedNoiseError) {
            return .recorded(try NoiseRecording(sound.readAll(), sampleRateHertz: sampleRateHertz))
        } catch {
            throw Failure(.data, "Cannot use \(path.escapedForTerminal) as noise: \(error).")
        }
    }

    private static func samples(_ path: FilePath) throws -> (samples: [Float], sampleRateHertz: Int) {
        do {
            var reader = try SoundFileReader(path: path)
            let rate = reader.sampleRateHertz
            guard (8_000...384_000).contains(rate) else {
                throw Failure(
                    .data, "Cannot use \(path.escapedForTerminal) as noise: \(rate) Hz is not 8000 to 384000 Hz.")
            }
            var samples: [Float] = []
            var block: [Float] = []
            while samples.count < maximumSeconds * rate {
                let count = try reader.read(into: &block, maxFrames: 65_536)
                if count == 0 { break }
                for frame in 0..<count { samples.append(block[frame * reader.channelCount]) }
            }
            return (samples, rate)
        } catch let error as AudioError {
            throw Failure(reading: error)
        }
    }
}
