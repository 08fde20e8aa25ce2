import ArgumentParser

@main
struct Earshot: ParsableCommand {
}
