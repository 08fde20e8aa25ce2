/// The input of one channel. A class, because a receiver holds a list of them.
final class ChannelInput {
    var baseband: BasebandInput

    init(_ baseband: consuming BasebandInput) {
        self.baseband = baseband
    }
}
