import EarshotDrawing
import Glibc

/// Colours for levels: from night blue over violet and orange to pale yellow, with equal steps of lightness.
///
/// Interpolated in OKLab. Lightness is a straight line, so the picture also reads in grey.
enum ColourMap {
    /// Hue (in turns) and chroma along the map; the lightness depends only on the place.
    private static let stops: [(place: Double, hueTurns: Double, chroma: Double)] = [
        (0, 0.740, 0.035), (0.2, 0.790, 0.110), (0.45, 0.960, 0.170), (0.7, 1.130, 0.170), (1, 1.290, 0.110),
    ]
    private static let lightness = 0.16...0.92

    /// The colour at `place`, 0 ... 1, as `#rrggbb`.
    static func hex(_ place: Double) -> String {
        let place = min(max(place, 0), 1)
        let next = max(1, stops.firstIndex { $0.place >= place } ?? stops.count - 1)
        let (a, b) = (stops[next - 1], stops[next])
        let t = (place - a.place) / (b.place - a.place)
        let hue = 2 * Double.pi * (a.hueTurns + t * (b.hueTurns - a.hueTurns))
        let chroma = a.chroma + t * (b.chroma - a.chroma)
        let light = lightness.lowerBound + place * (lightness.upperBound - lightness.lowerBound)
        return OKLab(lightness: light, a: chroma * cos(hue), b: chroma * sin(hue)).hex
    }
}
