import Foundation
import Glibc

@testable import EarshotMessages

/// The files of an app's permissions may hold anything. Unclear content counts as undecided, and a decision
/// can replace it.
func fuzzPermissions(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let content = Data(bytes.dropFirst())
    let folder = ConfigurationFolder(applicationIdentifier: "app", base: scratch)
    if first & 1 == 0 {
        write(content, "\(folder.path)/app.nearby.json")
        var manifest = PermissionManifest.load(for: folder, programFolder: "\(scratch)/none")
        manifest.fault = nil
        require(manifest == PermissionManifest() || content.contains(UInt8(ascii: "{")), "\(manifest) from nothing")
        return
    }
    write(content, "\(folder.path)/nearby.json")
    let file = PermissionFile(folder: folder.path)
    let before = file.read()
    do throws(PermissionStoreError) { try file.update { $0[.location] = .denied } } catch { fatalError("\(error)") }
    guard case .decisions(let after) = file.read() else { fatalError("a decision cannot be read") }
    require(after[.location] == .denied, "\(after)")
    if case .decisions(let earlier) = before {
        require(
            after[.nearby] == earlier[.nearby] && after[.backgroundLocation] == earlier[.backgroundLocation],
            "\(earlier) is lost")
    } else {
        require(after[.nearby] == .undecided, "a permission from invalid content")
    }
}

/// A folder of this process.
private let scratch: String = {
    let path = "/dev/shm/earshot-fuzz-\(getpid())"
    mkdir(path, 0o700)
    mkdir("\(path)/app", 0o700)
    atexit { try? FileManager.default.removeItem(atPath: "/dev/shm/earshot-fuzz-\(getpid())") }
    return path
}()

private func write(_ content: Data, _ path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    require(descriptor >= 0, "no file for a test")
    defer { close(descriptor) }
    content.withUnsafeBytes {
        require(Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count, "no room for a test")
    }
}
