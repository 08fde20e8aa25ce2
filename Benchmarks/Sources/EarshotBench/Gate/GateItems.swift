/// All checks, cheapest first.
func gateItems(reference: SuccessReference, trialCount: Int) throws -> [GateItem] {
    successItems(reference, trialCount: trialCount)
}

private func successItems(_ reference: SuccessReference, trialCount: Int) -> [GateItem] {
    reference.points.map { point in
        let check = SuccessCheck(
            point: point, curve: reference.curves.first { $0.air == point.air }, lossDecibels: reference.lossDecibels,
            trialCount: trialCount)
        return GateItem(point.title, check.run)
    }
}
