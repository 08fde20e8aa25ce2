import RealModule

/// The mirror images of a sound source in the walls of a box.
///
///     distance = |R|,   R = (1 − 2q)·s + 2·m·L − r for each axis,   q = 0, 1,   m any whole number
///     gain = Π β₀^|m − q|·β₁^|m| · e^{−μ·|R|} / |R|,   the product over the three axes
///
/// s is the source and r the microphone, L the box, β₀ and β₁ the pressure reflections of the walls at 0 and at L, μ
/// the absorption of the air in nepers a metre. Image m = 0, q = 0 of each axis is the source itself.
///
/// Source: Allen, Berkley: Image method for efficiently simulating small-room acoustics, JASA 65, 1979.
struct ImageSources {
    private struct Plane {
        var metres: Double
        var gain: Double
    }

    private let planes: [[Plane]]
    private let radiusMetres: Double
    private let nepersPerMetre: Double

    /// All images up to `radiusMetres` from the microphone.
    init(_ room: ShoeboxRoom, source: SIMD3<Double>, microphone: SIMD3<Double>, radiusMetres: Double) {
        self.radiusMetres = radiusMetres
        nepersPerMetre = room.airAbsorptionDecibelsPerMetre * .log(10) / 20
        planes = (0..<3).map { axis in
            let length = room.dimensionsMetres[axis]
            let most = Int(radiusMetres / (2 * length)) + 1
            var planes: [Plane] = []
            for m in -most...most {
                for q in 0...1 {
                    let place = Double(1 - 2 * q) * source[axis] + Double(2 * m) * length - microphone[axis]
                    let gain =
                        Double.pow(room.nearReflections[axis], abs(m - q)) * .pow(room.farReflections[axis], abs(m))
                    if abs(place) <= radiusMetres { planes.append(Plane(metres: place, gain: gain)) }
                }
            }
            return planes
        }
    }

    /// Calls `body` for every image, in an arbitrary but fixed order.
    func forEach(_ body: (_ distanceMetres: Double, _ gain: Double) -> Void) {
        for x in planes[0] {
            for y in planes[1] {
                let flat = x.metres * x.metres + y.metres * y.metres
                for z in planes[2] {
                    let squared = flat + z.metres * z.metres
                    guard squared <= radiusMetres * radiusMetres else { continue }
                    let distance = squared.squareRoot()
                    body(distance, x.gain * y.gain * z.gain * .exp(-nepersPerMetre * distance) / distance)
                }
            }
        }
    }
}
