import CEarshot

/// The version of the library; see earshot.h, which documents all of these functions.
@c @implementation
public func earshot_version() -> UnsafePointer<CChar>? {
    constantText("0.2.0")
}

/// The meaning of a status, in English.
@c @implementation
public func earshot_status_text(_ status: Int32) -> UnsafePointer<CChar>? {
    switch earshot_status(rawValue: status) {
    case EARSHOT_OK: constantText("it worked")
    case EARSHOT_NO_FRAME: constantText("no frame is waiting")
    case EARSHOT_ERROR_NULL: constantText("a pointer is NULL that must not be")
    case EARSHOT_ERROR_ALIGNMENT: constantText("a pointer does not have the alignment of its type")
    case EARSHOT_ERROR_STRUCT_SIZE:
        constantText("the size of a struct was not set to its sizeof, or earshot.h is newer than the library")
    case EARSHOT_ERROR_RATE: constantText("the sample rate is not 44100 to 768000 Hz, so it cannot carry 20 kHz")
    case EARSHOT_ERROR_PROFILE: constantText("there is no such profile, or several are given where one is needed")
    case EARSHOT_ERROR_CHANNELS: constantText("there are more than 64 channels")
    case EARSHOT_ERROR_BURST:
        constantText("a burst has up to 8 repeats, and several only of a token, which has 8 bytes")
    case EARSHOT_ERROR_FLAGS: constantText("there is no such flag, or a reserved field is not 0")
    case EARSHOT_ERROR_AMPLITUDE: constantText("the amplitude is not a number from 0 to 1")
    case EARSHOT_ERROR_PAYLOAD: constantText("the payload does not have 1 to 32 bytes")
    case EARSHOT_ERROR_CAPACITY: constantText("the buffer is too small for the samples")
    case EARSHOT_ERROR_COUNT: constantText("the count of samples is larger than any memory")
    case EARSHOT_ERROR_FLUSHED: constantText("the receiver was flushed and takes no more input; make another one")
    case EARSHOT_ERROR_BUSY: constantText("another thread is inside a call with the same receiver")
    case EARSHOT_ERROR_DROPPED: constantText("frames were dropped, because 16384 were waiting already; poll more often")
    default: constantText("no such status")
    }
}

/// The name of a profile; nil if there is none.
@c @implementation
public func earshot_profile_name(_ profile: UInt32) -> UnsafePointer<CChar>? {
    switch Int(profile) {
    case EARSHOT_FAST: constantText("fast")
    case EARSHOT_STANDARD: constantText("standard")
    case EARSHOT_FAR: constantText("far")
    default: nil
    }
}

/// The bytes of a literal, which end with a zero and are never freed.
private func constantText(_ text: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}
