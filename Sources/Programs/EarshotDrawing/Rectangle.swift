/// A rectangle on the drawing, in pixels, y downwards.
package struct Rectangle {
    package var x: Double
    package var y: Double
    package var width: Double
    package var height: Double

    package init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    package var right: Double { x + width }
    package var bottom: Double { y + height }

    /// The SVG path data of its outline.
    package var outline: String {
        "M\(SVG.number(x)) \(SVG.number(y))h\(SVG.number(width))v\(SVG.number(height))h\(SVG.number(-width))z"
    }

    package func contains(x: Double, y: Double, margin: Double = 0) -> Bool {
        x >= self.x - margin && x <= right + margin && y >= self.y - margin && y <= bottom + margin
    }

    package func overlaps(_ other: Rectangle) -> Bool {
        x < other.right && other.x < right && y < other.bottom && other.y < bottom
    }
}
