package import EarshotDrawing
import EarshotModem

extension CurveChart {
    /// Curves of frames decoded over signal-to-noise ratio, with both bounds of each profile.
    package init(title: String, subtitle: String, footnote: String, _ measured: [SimulatedCurve]) {
        let severalProfiles = Set(measured.map(\.scene.profile.name)).count > 1
        let severalChannels = Set(measured.map(\.channel)).count > 1
        var curves: [Curve] = []
        var bounded: Set<String> = []
        for curve in measured where !curve.points.isEmpty {
            let profile = curve.scene.profile
            if bounded.insert(profile.name).inserted {
                for isCoherent in [false, true] {
                    let name = isCoherent ? "phases known" : "energies known"
                    curves.append(
                        Curve(
                            name: severalProfiles ? "\(name), \(profile.name)" : name, kind: .bound,
                            points: curve.boundPoints(coherent: isCoherent)))
                }
            }
            let name =
                severalProfiles && severalChannels
                ? "\(profile.name), \(curve.channel)"
                : severalChannels ? curve.channel : profile.name
            curves.append(
                Curve(
                    name: name, kind: .highlighted, colour: severalChannels ? nil : Palette.profile(profile.name),
                    points: curve.points.map { point in
                        Point(
                            x: point.snrDecibels, share: point.decodedShare,
                            interval: point.interval.low...point.interval.high)
                    }))
        }
        self.init(
            title: title, subtitle: subtitle, footnote: footnote, shareName: "frames decoded", markedShare: 0.9,
            curves: curves)
    }
}

extension SimulatedCurve {
    /// The part of the bound that falls from all to nothing.
    fileprivate func boundPoints(coherent: Bool) -> [CurveChart.Point] {
        [0.002, 0.01, 0.03, 0.08, 0.2, 0.35, 0.5, 0.65, 0.8, 0.92, 0.97, 0.99, 0.998].compactMap { share in
            boundDecibels(share: share, coherent: coherent).map { CurveChart.Point(x: $0, share: share) }
        }
    }
}
