/// The version that every program of this package prints for `--version`.
package enum ProgramVersion {
    package static let current = "0.1.0"
}
