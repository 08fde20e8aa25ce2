import CCrypto

/// The SHA-256 of bytes (FIPS 180-4), 32 bytes.
///
/// The process ends if there is no memory for OpenSSL's context, because keys cannot be checked without a hash.
func sha256(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: 32)
    let input = Array(bytes)
    let status = EVP_Digest(input, input.count, &hash, nil, EVP_sha256(), nil)
    precondition(status == 1, "OpenSSL computes no SHA-256")
    return hash
}
