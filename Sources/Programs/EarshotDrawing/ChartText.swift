/// The texts above and below a chart, wrapped to the width of the picture: title, subtitle and footnote.
struct ChartText {
    /// The width of all charts in pixels.
    static let width = 900.0
    static let margin = 28.0
    static let right = width - margin

    private static let titleSize = 22.0
    private static let subtitleSize = 14.0
    private static let footnoteSize = 12.5

    private let title: [String]
    private let subtitle: [String]
    private let footnote: [String]

    init(title: String, subtitle: String, footnote: String) {
        self.title = Self.lines(title, size: Self.titleSize * 1.12)
        self.subtitle = Self.lines(subtitle, size: Self.subtitleSize)
        self.footnote = Self.lines(footnote, size: Self.footnoteSize)
    }

    /// The height of title and subtitle in pixels.
    var headHeight: Double {
        24 + 28 * Double(title.count) + 20 * Double(subtitle.count)
    }

    /// The height of the footnote and the margin below it in pixels.
    var footHeight: Double {
        (footnote.isEmpty ? 0 : 10 + 18 * Double(footnote.count)) + Self.margin - 8
    }

    func draw(into svg: inout SVG, footTop: Double) {
        for (index, line) in title.enumerated() {
            svg.text(
                line, x: Self.margin, y: 44 + 28 * Double(index),
                SVG.Style(size: Self.titleSize, colour: Palette.text, isBold: true))
        }
        let subtitleTop = 14 + 28 * Double(title.count)
        for (index, line) in subtitle.enumerated() {
            svg.text(
                line, x: Self.margin, y: subtitleTop + 26 + 20 * Double(index),
                SVG.Style(size: Self.subtitleSize, colour: Palette.faint))
        }
        for (index, line) in footnote.enumerated() {
            svg.text(
                line, x: Self.margin, y: footTop + 20 + 18 * Double(index),
                SVG.Style(size: Self.footnoteSize, colour: Palette.faint))
        }
    }

    /// Lines of at most the chart's width: the widest of the usual fonts takes 0.6 em a character of ordinary text.
    private static func lines(_ text: String, size: Double) -> [String] {
        let count = Int((right - margin) / SVG.Style.width(characterCount: 1, size: size))
        return TextWrap.lines(text, width: count).map { shortened($0, to: count) }
    }

    /// The text in at most `count` characters; an ellipsis replaces the rest.
    static func shortened(_ text: String, to count: Int) -> String {
        text.count > count ? text.prefix(max(count - 1, 0)) + "…" : text
    }
}
