import ArgumentParser

/// `earshot field`: one device plays, another records, with real air between them.
struct FieldCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "field",
        abstract: "Measure two real devices in a real room: one plays a schedule, the other records it.",
        discussion: """
            No figure of Earshot comes from a real loudspeaker and microphone yet. Yours can be the first: measure two \
            devices, and attach the folder to an issue of the project.

            ON THE DEVICE THAT LISTENS, first:
              arecord -f S16_LE -r 48000 -d 180 field.wav

            THEN ON THE OTHER; or play the file on a phone, with any player:
              earshot field play
              earshot field play -o schedule.wav

            AFTER THAT:
              earshot field read field.wav --distance 3 -o results

            The schedule has two sweeps, and between them tokens of every profile at five levels, in a bit more than \
            two minutes. Both commands need the same --level, --steps, --tokens and --seed.
            """,
        subcommands: [FieldPlayCommand.self, FieldReadCommand.self])
}
