import EarshotBasics
package import EarshotChannel
package import EarshotCoding
package import EarshotModem

/// A scene with the values that all its trials share, computed once.
package struct PreparedScene: Sendable {
    /// The scene.
    package private(set) var scene: AirScene
    private let transmitter: Transmitter
    private let air: PreparedAir
    private static let blockCount = 8_192

    /// Prepares a scene.
    /// - Throws: `ModemError` if the profile does not fit into a sample rate.
    package init(_ scene: AirScene) throws(ModemError) {
        self.scene = scene
        transmitter = try Transmitter(profile: scene.profile, sampleRateHertz: scene.sampleRateHertz)
        _ = try Receiver(sampleRateHertz: scene.receivedRateHertz)
        air = PreparedAir(scene.air, sampleRateHertz: scene.sampleRateHertz)
    }

    /// The same scene at another signal-to-noise ratio.
    package func at(snrDecibels: Double) -> PreparedScene {
        var other = self
        other.scene.snrDecibels = snrDecibels
        return other
    }

    /// The sound that the receiver hears, and the payloads in it.
    package func sound(seed: UInt64) -> (sound: AirSound, payloads: [Payload]) {
        var generator = SeededGenerator(seed: seed)
        let payloads = payloads(&generator)
        let sound = air.sound(
            of: payloads.map(signal), amplitude: scene.amplitude,
            snrDecibels: scene.snrDecibels, seed: generator.next())
        return (sound, payloads)
    }

    /// A payload for each talker. Similar payloads use as many random numbers as others, so that both kinds of one seed
    /// get the same air.
    private func payloads(_ generator: inout SeededGenerator) -> [Payload] {
        var drawn: [Payload] = []
        for _ in scene.air.talkerLevelsDecibels {
            var payload: Payload
            repeat {
                payload = randomPayload(&generator)
            } while drawn.contains(payload)
            drawn.append(payload)
        }
        guard scene.arePayloadsAlike else { return drawn }
        return drawn.indices.map { index in
            var payload = drawn[0]
            payload[payload.count - 1] &+= UInt8(truncatingIfNeeded: index)
            return payload
        }
    }

    private func randomPayload(_ generator: inout SeededGenerator) -> Payload {
        let bytes = (0..<scene.payloadByteCount).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        guard let payload = try? Payload(bytes) else {
            preconditionFailure("\(scene.payloadByteCount) bytes of payload")
        }
        return payload
    }

    private func signal(_ payload: Payload) -> [Float] {
        guard scene.burstCount > 1 else { return transmitter.samples(payload, amplitude: scene.amplitude) }
        do throws(ModemError) {
            return try transmitter.burst(payload, frameCount: scene.burstCount, amplitude: scene.amplitude)
        } catch {
            preconditionFailure("a scene of \(error)")
        }
    }

    /// Sends one frame, or one burst, a talker and judges the reports.
    /// - Throws: `ModemError` if the receiver cannot be created.
    package func run(seed: UInt64) throws(ModemError) -> AirOutcome {
        var (sound, payloads) = sound(seed: seed)
        let channelCount = sound.channelCount
        let receivers = try ReceiverBank(
            channelCount: channelCount, separate: scene.separatesChannels, sampleRateHertz: sound.sampleRateHertz,
            combining: scene.combinedCount)
        var frames: [ReceivedFrame] = []
        var block = [Float](repeating: 0, count: Self.blockCount)
        while true {
            var span = block.mutableSpan
            let piece = sound.readPiece(into: &span)
            if piece == (0, 0) { break }
            receivers.skip(piece.droppedCount) { frames.append($1) }
            receivers.push(block.span.extracting(0..<piece.count * channelCount)) { frames.append($1) }
        }
        receivers.flush { frames.append($1) }
        return AirOutcome(
            payloads: payloads, startSamples: sound.startSamples, frames: frames, statistics: receivers.statistics,
            profileName: scene.profile.name, burstCount: scene.burstCount)
    }
}
