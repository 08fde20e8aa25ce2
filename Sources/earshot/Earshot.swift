import ArgumentParser
import EarshotConsole

@main
struct Earshot: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "earshot",
        abstract: "Send and receive small tokens as near-ultrasound, 18.5 to 20 kHz.",
        discussion: """
            A token is 8 bytes; any payload of 1 to 32 bytes travels the same way. Whoever is within earshot \
            hears it: nothing needs to be paired, no network is used.

            TRY IT:
              earshot encode 0123456789abcdef -o token.wav
              earshot decode token.wav
              earshot inspect token.wav -o token.svg
              earshot loopback --via wav

            LIVE, in two terminals:
              earshot listen
              earshot broadcast 0123456789abcdef

            Who is near, in as many terminals or rooms as you like:
              earshot nearby

            Messages, by a service of your own (earshotd) or in the sound itself:
              earshot subscribe
              earshot publish "hello"
              earshot publish --direct "table 12 is free"

            Which devices there are, and what a pair of them is good for:
              earshot devices
              earshot loopback --via alsa --device hw:1 --playback hw:0

            In which air it works, without any devices:
              earshot simulate --channel room-b --plot curve.svg

            EXIT CODES:
              0   a token was found, a device can be used, what was asked for was written, or the test passed
              1   no token was found, or the test failed
              64  the command line asks for something impossible
              65  the input is no sound that can be used, or is damaged
              66  the input does not exist or may not be read
              69  a sound device is not there, is in use, or cannot do what is needed
              73  the output cannot be created
              74  reading or writing failed on the way
              77  the system refuses access to a sound device
              130 interrupted by Ctrl-C (143: by a termination signal); 'listen', which has no other end, leaves with 0
                  or 1 then
            """,
        version: "0.1.0",
        subcommands: [
            EncodeCommand.self, DecodeCommand.self, ListenCommand.self, BroadcastCommand.self,
            NearbyCommand.self, PublishCommand.self, SubscribeCommand.self, LoopbackCommand.self, SimulateCommand.self,
            InspectCommand.self, DevicesCommand.self,
        ]
    )

    static func main() {
        StandardStream.prepare()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let failure as Failure {
            failure.exit()
        } catch {
            exit(withError: error)
        }
    }
}
