#if compiler(>=6.3)
    import CEarshot

    /// Calls of `earshot.h`, each chosen by bytes of the input, with any fields, sizes and addresses. Each call must
    /// return a status of the header, and write nothing beyond its output.
    func fuzzInterface(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        var handles = Handles()
        // An input of 4,096 bytes could make a receiver for each of them.
        for _ in 0..<64 where !input.isAtEnd { handles.call(&input) }
    }

    /// The receivers of a caller: up to three.
    private struct Handles: ~Copyable {
        private var receivers = [OpaquePointer?](repeating: nil, count: 3)
        private var channelCounts = [1, 1, 1]
        /// Whether each was flushed, after which it accepts nothing more.
        private var isFlushed = [false, false, false]
        /// The samples of the latest transmission.
        private var spoken: [Float] = []
        /// The number of samples, of all channels, that receivers still accept; more of them would only cost time.
        private var sampleCount = 200_000

        deinit { for receiver in receivers { earshot_receiver_destroy(receiver) } }

        mutating func call(_ input: inout FuzzInput) {
            let (function, index) = (input.below(10), input.below(3))
            switch function {
            case 0: create(index, &input)
            case 1:
                earshot_receiver_destroy(receivers[index])
                receivers[index] = nil
            case 2: push(index, &input, earshot_receiver_push_float) { Float(bitPattern: $0) }
            case 3: push(index, &input, earshot_receiver_push_int16) { Int16(truncatingIfNeeded: $0) }
            case 4:
                let count = UInt64(input.byte()) << UInt64(input.below(64))
                expect(earshot_receiver_skip(receivers[index], count), from: index)
            case 5:
                let status = earshot_receiver_flush(receivers[index])
                checked(status)
                require((status == EARSHOT_ERROR_NULL) == (receivers[index] == nil), "flush said \(status.rawValue)")
                isFlushed[index] = true
            case 6: poll(index, &input)
            case 7: spoken = transmit(&input, earshot_transmit_float, guarding: Float(-7))
            case 8: _ = transmit(&input, earshot_transmit_int16, guarding: Int16(-7))
            default: hear(index)
            }
        }

        private mutating func create(_ index: Int, _ input: inout FuzzInput) {
            earshot_receiver_destroy(receivers[index])
            receivers[index] = nil
            var options = earshot_receiver_options()
            options.size = input.size(MemoryLayout<earshot_receiver_options>.size)
            options.sample_rate_hertz = input.rate()
            options.profiles = input.small()
            options.channel_count = input.small()
            options.combine_count = input.small()
            options.flags = input.small()
            options.reserved = input.byte() == 255 ? 1 : 0
            let status = earshot_receiver_create(&options, &receivers[index])
            checked(status)
            require((status == EARSHOT_OK) == (receivers[index] != nil), "create said \(status.rawValue)")
            channelCounts[index] = Int(options.channel_count)
            isFlushed[index] = false
        }

        private mutating func push<Sample>(
            _ index: Int, _ input: inout FuzzInput,
            _ function: (OpaquePointer?, UnsafePointer<Sample>?, Int) -> earshot_status, _ sample: (UInt32) -> Sample
        ) {
            let isTooLarge = input.byte() >= 250
            // The same number of samples for each channel. A negative number is a size_t that no memory has.
            let count = input.below(1_000)
            let room = count * max(channelCounts[index], 1)
            guard !isTooLarge, room <= sampleCount else {
                let status = function(receivers[index], [sample(0)], count % 2 == 0 ? .max : -1)
                checked(status)
                require(
                    status == (receivers[index] == nil ? EARSHOT_ERROR_NULL : EARSHOT_ERROR_COUNT), "\(status.rawValue)"
                )
                return
            }
            sampleCount -= room
            let pattern = (0..<4).map { _ in input.word() }
            expect(function(receivers[index], (0..<room).map { sample(pattern[$0 % 4]) }, count), from: index)
        }

        /// Gives a receiver the latest transmission, in all channels.
        private mutating func hear(_ index: Int) {
            let channelCount = max(channelCounts[index], 1)
            guard spoken.count * channelCount <= sampleCount else { return }
            sampleCount -= spoken.count * channelCount
            let samples = spoken.flatMap { repeatElement($0, count: channelCount) }
            expect(earshot_receiver_push_float(receivers[index], samples, spoken.count), from: index)
        }

        private func poll(_ index: Int, _ input: inout FuzzInput) {
            var frame = earshot_frame()
            let size = input.size(MemoryLayout<earshot_frame>.size)
            let status = earshot_receiver_poll(receivers[index], &frame, size)
            checked(status)
            guard status == EARSHOT_OK else { return }
            require((1...32).contains(frame.payload_size) && frame.end_sample > frame.start_sample, "\(frame)")
        }

        /// Checks the status of a call with input: success, or the reason why the call refused the input.
        private func expect(_ status: earshot_status, from index: Int) {
            checked(status)
            let expected: [earshot_status] =
                receivers[index] == nil
                ? [EARSHOT_ERROR_NULL]
                : isFlushed[index] ? [EARSHOT_ERROR_FLUSHED] : [EARSHOT_OK, EARSHOT_ERROR_DROPPED]
            require(expected.contains(status), "\(status.rawValue) instead of \(expected.map(\.rawValue))")
        }

        private func transmit<Sample: Equatable>(
            _ input: inout FuzzInput,
            _ function: (
                UnsafePointer<earshot_transmission>?, UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<Sample>?, Int,
                UnsafeMutablePointer<Int>?
            ) -> earshot_status, guarding guardian: Sample
        ) -> [Sample] {
            var transmission = earshot_transmission()
            transmission.size = input.size(MemoryLayout<earshot_transmission>.size)
            transmission.sample_rate_hertz = input.rate()
            transmission.profile = input.small()
            transmission.burst_count = input.small()
            transmission.amplitude = input.byte() < 128 ? 0.25 : Float(bitPattern: input.word())
            let payload = input.bytes(input.below(34))
            var (needed, made) = (-1, -1)
            let counted = earshot_transmit_sample_count(&transmission, payload.count, &needed)
            checked(counted)
            require((counted == EARSHOT_OK) == (needed > 0), "\(counted.rawValue) and \(needed) samples")
            // A burst at the maximum sample rate takes half a gigabyte.
            guard needed <= 250_000 else { return [] }
            let capacity = input.byte() < 200 ? needed : input.below(max(needed, 1))
            var samples = [Sample](repeating: guardian, count: capacity + 16)
            let status = samples.withUnsafeMutableBufferPointer {
                function(&transmission, payload, payload.count, $0.baseAddress, capacity, &made)
            }
            checked(status)
            require(
                samples[capacity...].allSatisfy { $0 == guardian }, "\(status.rawValue): samples beyond \(capacity)")
            let expected = counted != EARSHOT_OK ? counted : capacity < needed ? EARSHOT_ERROR_CAPACITY : EARSHOT_OK
            require(status == expected, "\(status.rawValue) instead of \(expected.rawValue)")
            require(status == EARSHOT_OK || status == EARSHOT_ERROR_CAPACITY ? made == needed : made == 0, "\(made)")
            return status == EARSHOT_OK ? Array(samples[..<capacity]) : []
        }
    }

    /// A status is one that the header names.
    private func checked(_ status: earshot_status) {
        require((-15...1).contains(status.rawValue), "status \(status.rawValue)")
        require(earshot_status_text(status.rawValue) != nil, "status \(status.rawValue) has no text")
    }

    extension FuzzInput {
        fileprivate mutating func word() -> UInt32 { (0..<4).reduce(0) { word, _ in word << 8 | UInt32(byte()) } }

        /// Usually the right size.
        fileprivate mutating func size(_ right: Int) -> Int {
            let choice = byte()
            return choice < 240 ? right : Int(choice) - 240
        }

        /// Usually a valid sample rate.
        fileprivate mutating func rate() -> UInt32 {
            let choice = byte()
            return choice < 200 ? [44_100, 48_000, 96_000, 192_000][Int(choice) % 4] : word()
        }

        /// Usually a small number.
        fileprivate mutating func small() -> UInt32 {
            let choice = byte()
            return choice < 240 ? UInt32(choice % 10) : word()
        }
    }
#else
    /// The C interface needs Swift 6.3.
    func fuzzInterface(_ bytes: [UInt8]) {}
#endif
