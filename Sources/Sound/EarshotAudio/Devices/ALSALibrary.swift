import CALSA

/// The library that opens sound devices.
package enum ALSALibrary {
    /// Its version as loaded, such as "1.2.8".
    package static var version: String { snd_asoundlib_version().map { String(cString: $0) } ?? "unknown" }
}
