import CCrypto

/// The three functions of section 12 of docs/PROTOCOL.md, from OpenSSL's libcrypto.
///
/// libcrypto comes with the system and its updates. swift-crypto would compile a BoringSSL of its own for the same three functions.
enum Cryptography {
    /// The size of a hash, and of a key, in bytes.
    static let keyCount = 32
    static let nonceCount = 12
    static let tagCount = 16

    /// HMAC-SHA-256 (RFC 2104), 32 bytes.
    static func hmac(_ key: some Collection<UInt8>, _ message: some Collection<UInt8>) -> [UInt8] {
        let (key, message) = (Array(key), Array(message))
        var hash = [UInt8](repeating: 0, count: keyCount)
        var count = UInt32(keyCount)
        let result = HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &hash, &count)
        precondition(result != nil, "libcrypto has no HMAC-SHA-256")
        return hash
    }

    /// PBKDF2 with HMAC-SHA-256 (RFC 8018), 32 bytes. Cost: `rounds` times 0.3 µs.
    static func pbkdf2(_ password: some Collection<UInt8>, salt: some Collection<UInt8>, rounds: Int) -> [UInt8] {
        let (password, salt) = (password.map { CChar(bitPattern: $0) }, Array(salt))
        var key = [UInt8](repeating: 0, count: keyCount)
        let result = PKCS5_PBKDF2_HMAC(
            password, Int32(password.count), salt, Int32(salt.count), Int32(rounds), EVP_sha256(), Int32(keyCount),
            &key)
        precondition(result == 1, "libcrypto has no PBKDF2")
        return key
    }

    /// AES-256-GCM (NIST SP 800-38D).
    /// - Returns: nonce ‖ ciphertext ‖ tag.
    static func seal(_ message: [UInt8], key: [UInt8], nonce: [UInt8], associated: [UInt8]) -> [UInt8] {
        precondition(key.count == keyCount && nonce.count == nonceCount)
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var ciphertext = [UInt8](repeating: 0, count: message.count)
        var tag = [UInt8](repeating: 0, count: tagCount)
        var count: Int32 = 0
        var isDone = EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1
        isDone = isDone && EVP_EncryptUpdate(context, nil, &count, associated, Int32(associated.count)) == 1
        isDone = isDone && EVP_EncryptUpdate(context, &ciphertext, &count, message, Int32(message.count)) == 1
        isDone = isDone && EVP_EncryptFinal_ex(context, nil, &count) == 1
        isDone = isDone && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagCount), &tag) == 1
        precondition(isDone, "libcrypto has no AES-256-GCM")
        return nonce + ciphertext + tag
    }

    /// Opens what `seal` returned.
    /// - Returns: nil if the key or any bit of the arguments differs.
    static func open(_ sealed: [UInt8], key: [UInt8], associated: [UInt8]) -> [UInt8]? {
        guard key.count == keyCount, sealed.count >= nonceCount + tagCount, sealed.count <= Int(Int32.max) else {
            return nil
        }
        let nonce = Array(sealed.prefix(nonceCount))
        var tag = Array(sealed.suffix(tagCount))
        let ciphertext = Array(sealed[nonceCount..<(sealed.count - tagCount)])
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        var message = [UInt8](repeating: 0, count: ciphertext.count)
        var count: Int32 = 0
        var isDone = EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1
        isDone = isDone && EVP_DecryptUpdate(context, nil, &count, associated, Int32(associated.count)) == 1
        isDone = isDone && EVP_DecryptUpdate(context, &message, &count, ciphertext, Int32(ciphertext.count)) == 1
        isDone = isDone && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagCount), &tag) == 1
        isDone = isDone && EVP_DecryptFinal_ex(context, nil, &count) == 1
        return isDone ? message : nil
    }

    /// New random bytes from the system's generator.
    static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        while bytes.count < count {
            let word: UInt64 = generator.next()
            withUnsafeBytes(of: word) { bytes.append(contentsOf: $0.prefix(count - bytes.count)) }
        }
        return bytes
    }
}
