/// How many there are, heard or not.
///
///     n̂ = max(1 + neighbours, b),   b ← 2·b where two busy slots in a row brought nothing,   else b ← b − (b − 1 − neighbours)/8
///
/// A crowd that talks all at once is not decoded, only felt: then everybody talks half as often, until something is heard.
struct CrowdEstimate: Sendable {
    /// However much it may sound like more.
    static let largest = 4_096.0
    /// b.
    private var felt = 1.0
    private var vainSlotCount = 0

    /// n̂.
    func count(neighbourCount: Int) -> Double {
        max(Double(1 + neighbourCount), felt)
    }

    /// A slot in which this device listened is over.
    mutating func finishSlot(heardCount: Int, wasBusy: Bool, neighbourCount: Int) {
        let known = Double(1 + neighbourCount)
        vainSlotCount = wasBusy && heardCount == 0 ? vainSlotCount + 1 : 0
        if vainSlotCount >= 2 {
            felt = min(2 * max(felt, known, 4), Self.largest)
            vainSlotCount = 0
        } else if heardCount > 0 || !wasBusy {
            felt += (known - felt) / 8
        }
    }
}
