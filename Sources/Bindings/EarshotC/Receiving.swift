public import CEarshot
import EarshotModem

/// Creates a receiver; see earshot.h, which documents all of these functions.
@c @implementation
public func earshot_receiver_create(
    _ options: UnsafePointer<earshot_receiver_options>?, _ receiver: UnsafeMutablePointer<OpaquePointer?>?
) -> earshot_status {
    status { () throws(ArgumentError) in
        let receiver = try receiver.checked()
        receiver.pointee = nil
        let handle = try ReceiverHandle(try options.checked().sized())
        receiver.pointee = OpaquePointer(Unmanaged.passRetained(handle).toOpaque())
    }
}

/// Ends a receiver.
@c @implementation
public func earshot_receiver_destroy(_ receiver: OpaquePointer?) {
    guard let receiver else { return }
    Unmanaged<ReceiverHandle>.fromOpaque(UnsafeRawPointer(receiver)).release()
}

/// Processes floats, full scale 1; shape [sample_count][channel_count].
@c @implementation
public func earshot_receiver_push_float(
    _ receiver: OpaquePointer?, _ samples: UnsafePointer<Float>?, _ sample_count: Int
) -> earshot_status {
    call(receiver) { handle throws(ArgumentError) in
        try handle.push(samples, sample_count)
    }
}

/// Processes integers, full scale 2¹⁵; shape [sample_count][channel_count].
@c @implementation
public func earshot_receiver_push_int16(
    _ receiver: OpaquePointer?, _ samples: UnsafePointer<Int16>?, _ sample_count: Int
) -> earshot_status {
    call(receiver) { handle throws(ArgumentError) in
        try handle.push(samples, sample_count)
    }
}

/// Skips lost samples.
@c @implementation
public func earshot_receiver_skip(_ receiver: OpaquePointer?, _ sample_count: UInt64) -> earshot_status {
    call(receiver) { handle throws(ArgumentError) in try handle.skip(sample_count) }
}

/// Ends the input.
@c @implementation
public func earshot_receiver_flush(_ receiver: OpaquePointer?) -> earshot_status {
    call(receiver) { handle throws(ArgumentError) in try handle.flush() }
}

/// Takes the first waiting frame.
@c @implementation
public func earshot_receiver_poll(
    _ receiver: OpaquePointer?, _ frame: UnsafeMutablePointer<earshot_frame>?, _ frame_size: Int
) -> earshot_status {
    call(receiver) { handle throws(ArgumentError) in
        let frame = try frame.checked()
        guard frame_size == MemoryLayout<earshot_frame>.size else { throw ArgumentError(EARSHOT_ERROR_STRUCT_SIZE) }
        guard let next = handle.poll() else { throw ArgumentError(EARSHOT_NO_FRAME) }
        frame.pointee = next
    }
}

/// Runs a call with a receiver.
private func call(
    _ receiver: OpaquePointer?, _ body: (ReceiverHandle) throws(ArgumentError) -> Void
) -> earshot_status {
    status { () throws(ArgumentError) in
        guard let receiver else { throw ArgumentError(EARSHOT_ERROR_NULL) }
        guard UInt(bitPattern: receiver) % UInt(MemoryLayout<UInt>.alignment) == 0 else {
            throw ArgumentError(EARSHOT_ERROR_ALIGNMENT)
        }
        let handle = Unmanaged<ReceiverHandle>.fromOpaque(UnsafeRawPointer(receiver)).takeUnretainedValue()
        try handle.exclusively(body)
    }
}
