import EarshotModem

/// All checks, cheapest first.
func gateItems(reference: SuccessReference, trialCount: Int) -> [GateItem] {
    allocationItems() + kernelItems() + speedItems() + [falseTokenItem()]
        + successItems(reference, trialCount: trialCount)
}

/// Blocks without a frame must allocate nothing; a reported frame keeps its tones for later, which allocates.
private func allocationItems() -> [GateItem] {
    // Counts, unlike times, are the same on every machine: 10 for a token, 12 for 32 bytes.
    let mostAFrame = 12.0
    return allocationScenes.map { scene in
        GateItem("allocations, \(scene.name)") { _ in
            let count = try scene.measure()
            var check = GateCheck.none(
                "allocations, \(scene.name)", count: count.inBlocks, of: "allocations",
                detail: "\(scene.name), \(count.blockCount) blocks without a report")
            guard count.frameCount > 0 else { return check }
            check.measured += ", \(decimal(count.allocationsAFrame, 1)) a frame"
            check.wanted += ", ≤ \(decimal(mostAFrame, 1)) a frame"
            if count.allocationsAFrame > mostAFrame {
                check.verdict = .failed
                check.explanation =
                    "\(scene.name): \(decimal(count.allocationsAFrame, 1)) allocations a reported frame, at most "
                    + "\(decimal(mostAFrame, 1))"
            }
            return check
        }
    }
}

private func kernelItems() -> [GateItem] {
    allKernels.map { kernel in
        GateItem("kernel, \(kernel.name)") { _ in
            let result = kernel.run()
            let wanted = "≥ \(decimal(result.minimumRatio, 1)) × the twin's speed"
            var check = GateCheck(
                name: "kernel, \(kernel.name)", measured: "\(decimal(result.ratio, 1)) ×", wanted: wanted,
                verdict: .passed)
            var complaints: [String] = []
            if result.ratio < result.minimumRatio {
                let slower = 100 * (1 - result.ratio / result.minimumRatio)
                complaints.append(
                    "\(kernel.name) is only \(decimal(result.ratio, 2)) times as fast as its naive twin, "
                        + "\(decimal(slower, 0)) % below the minimum of \(decimal(result.minimumRatio, 1))")
            }
            if !result.agrees {
                complaints.append(
                    "\(kernel.name) and its twin disagree: they differ by \(result.difference), at most "
                        + "\(result.tolerance)")
            }
            if result.allocationCount > 0 {
                complaints.append(
                    "\(kernel.name) makes \(result.allocationCount) allocations a run, and must make none")
            }
            if !complaints.isEmpty {
                check.verdict = .failed
                check.explanation = complaints.joined(separator: "; ")
            }
            return check
        }
    }
}

private func speedItems() -> [GateItem] {
    ReceiverCost.all.map { speedItem($0.name, maximum: $0.most, of: "the reference loop's time", $0.measure) }
        + TrafficCost.all.map { speedItem($0.name, maximum: $0.maximum, of: "the time for noise", $0.measure) }
}

private func speedItem(
    _ name: String, maximum: Double, of reference: String, _ measure: @escaping () throws -> Double
) -> GateItem {
    GateItem(name) { _ in
        let measured = try measure()
        var check = GateCheck(
            name: name, measured: "\(decimal(measured, 2)) of \(reference)", wanted: "≤ \(decimal(maximum, 1))",
            verdict: .passed)
        if measured > maximum {
            check.verdict = .failed
            check.explanation =
                "\(name): \(decimal(measured, 2)) of \(reference), at most \(decimal(maximum, 1)): "
                + "\(decimal(100 * (measured / maximum - 1), 0)) % too slow"
        }
        return check
    }
}

/// Three minutes of each kind of sound. `false-tokens` makes long runs.
private func falseTokenItem() -> GateItem {
    let name = "false tokens, three minutes of each kind"
    return GateItem(name) { seed in
        let heard = try listen(to: SoundKind.generated, hours: 0.05, seed: seed)
        let count = heard.reduce(0) { $0 + $1.wrongFrames.count }
        let hours = heard.reduce(0) { $0 + $1.hours }
        let places = zip(SoundKind.generated, heard).filter { !$0.1.wrongFrames.isEmpty }
            .map { "\($0.0.name): \($0.1.wrongFrames[0])" }
        var check = GateCheck.none(
            name, count: count, of: "false tokens",
            detail: "in \(decimal(hours, 2)) hours; \(places.joined(separator: "; "))")
        check.measured += " in \(decimal(hours, 2)) hours"
        return check
    }
}

private func successItems(_ reference: SuccessReference, trialCount: Int) -> [GateItem] {
    reference.points.map { point in
        let check = SuccessCheck(point: point, reference: reference, trialCount: trialCount)
        return GateItem(point.title, check.run)
    }
}
