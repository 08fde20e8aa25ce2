import Glibc

/// The system's words for an error number, without a capital letter.
package func systemReason(_ number: CInt) -> String {
    let text = String(cString: strerror(number))
    return text.prefix(1).lowercased() + text.dropFirst()
}
