import EarshotAudio
import EarshotChannel
import EarshotConsole
import EarshotSoundConsole
import EarshotSystem

/// One channel of a sound file, in memory.
struct SoundFileChannel {
    /// Full scale is 1.
    let samples: [Float]
    let sampleRateHertz: Int

    /// - Parameters:
    ///   - channel: the number of the channel, 0 for the first.
    ///   - maximumSeconds: only this much of the file is read.
    /// - Throws: `Failure` if the file cannot be read, or has no such channel.
    init(_ path: FilePath, channel: Int = 0, maximumSeconds: Int) throws(Failure) {
        let channelIsThere: Bool
        do throws(AudioError) {
            var reader = try SoundFileReader(path: path)
            let channelCount = reader.channelCount
            channelIsThere = channel < channelCount
            sampleRateHertz = reader.sampleRateHertz
            var block: [Float] = []
            var read: [Float] = []
            while channel < channelCount, read.count < maximumSeconds * sampleRateHertz {
                let count = try reader.read(into: &block, maxFrames: 65_536)
                if count == 0 { break }
                for frame in 0..<count { read.append(block[frame * channelCount + channel]) }
            }
            samples = read
        } catch {
            throw Failure(reading: error)
        }
        guard channelIsThere else {
            throw Failure(.usage, "\(path.escapedForTerminal) has no channel \(channel); the first is 0.")
        }
    }

    /// The samples at another rate.
    func samples(at rateHertz: Int) -> [Float] {
        guard rateHertz != sampleRateHertz else { return samples }
        var sound = Warped(StoredSound(samples), .conversion(from: sampleRateHertz, to: rateHertz))
        return sound.readAll()
    }
}
