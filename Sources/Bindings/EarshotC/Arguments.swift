import CEarshot
import EarshotCoding
import EarshotModem

/// An argument that the caller must change.
struct ArgumentError: Error {
    let status: earshot_status

    init(_ status: earshot_status) {
        self.status = status
    }
}

/// Runs the body of a function of the interface.
func status(_ body: () throws(ArgumentError) -> Void) -> earshot_status {
    do throws(ArgumentError) {
        try body()
        return EARSHOT_OK
    } catch {
        return error.status
    }
}

extension Optional where Wrapped: _Pointer {
    /// The pointer, if it is not NULL and has the alignment of its type.
    func checked() throws(ArgumentError) -> Wrapped {
        guard let self else { throw ArgumentError(EARSHOT_ERROR_NULL) }
        guard UInt(bitPattern: self) % UInt(MemoryLayout<Wrapped.Pointee>.alignment) == 0 else {
            throw ArgumentError(EARSHOT_ERROR_ALIGNMENT)
        }
        return self
    }
}

extension UnsafePointer where Pointee: SizedStruct {
    /// The struct, if its first field is its size. Before that check only this field is read.
    func sized() throws(ArgumentError) -> Pointee {
        guard UnsafeRawPointer(self).load(as: Int.self) == MemoryLayout<Pointee>.size else {
            throw ArgumentError(EARSHOT_ERROR_STRUCT_SIZE)
        }
        return pointee
    }
}

/// A struct of the caller that begins with its own size.
protocol SizedStruct {}
extension earshot_receiver_options: SizedStruct {}
extension earshot_transmission: SizedStruct {}

extension Profile {
    /// The profiles of a mask; none is an error.
    static func masked(_ mask: UInt32) throws(ArgumentError) -> [Profile] {
        guard mask != 0, Int(mask) & ~EARSHOT_ALL_PROFILES == 0 else { throw ArgumentError(EARSHOT_ERROR_PROFILE) }
        return all.filter { $0.mask & mask != 0 }
    }

    /// The profile's bit in a mask.
    var mask: UInt32 { Profile.mask(named: name) }

    /// The bit of the profile with that name; 0 if there is none.
    static func mask(named name: String) -> UInt32 {
        switch name {
        case "fast": UInt32(EARSHOT_FAST)
        case "standard": UInt32(EARSHOT_STANDARD)
        case "far": UInt32(EARSHOT_FAR)
        default: 0
        }
    }
}

/// A number of repeats; 0 means 1.
func checkedBurstCount(_ count: UInt32) throws(ArgumentError) -> Int {
    guard count <= EARSHOT_MAXIMUM_BURST else { throw ArgumentError(EARSHOT_ERROR_BURST) }
    return max(Int(count), 1)
}

/// A sample rate in hertz that the modem can use.
func checkedRate(_ hertz: UInt32) throws(ArgumentError) -> Int {
    guard ModemError.validSampleRatesHertz.contains(Int(hertz)) else { throw ArgumentError(EARSHOT_ERROR_RATE) }
    return Int(hertz)
}
