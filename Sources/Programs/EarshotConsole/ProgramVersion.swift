/// The name and version that every program of this package prints for `--version`.
package enum ProgramVersion {
    package static let current = "earshot 0.2.0"
}
