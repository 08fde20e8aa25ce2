import EarshotChannel
import EarshotConsole
import EarshotDrawing
import EarshotSoundConsole

/// The output of `--list`.
enum ChannelList {
    private static let columnCount = 100

    static func lines(json: Bool) -> [String] {
        guard !json else {
            return AirPreset.all.map { preset in
                var line = JSONLine()
                line.add("channel", preset.name)
                line.add("summary", preset.summary)
                return line.text
            }
        }
        let width = AirPreset.all.map(\.name.count).max() ?? 0
        return AirPreset.all.flatMap { preset in
            TextWrap.lines(preset.summary, width: columnCount - width - 2).enumerated().map { index, text in
                let name = index == 0 ? preset.name : ""
                return name + String(repeating: " ", count: width + 2 - name.count) + text
            }
        }
    }
}
