import ArgumentParser
import EarshotDrawing

/// `--theme`, for every command that draws.
struct ThemeOption: ParsableArguments {
    @Option(help: "The background of the picture: dark or light.")
    var theme = PictureTheme.dark

    /// Refuses a theme if no picture is drawn.
    /// - Throws: `ValidationError` if a theme is given and there is no picture.
    func check(drawsPicture: Bool, option: String) throws {
        if theme != .dark, !drawsPicture {
            throw ValidationError("--theme \(theme.rawValue) without \(option): no picture is drawn.")
        }
    }
}

extension PictureTheme: ExpressibleByArgument {}
