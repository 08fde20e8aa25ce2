import EarshotMessages
import EarshotPrompts
import EarshotSound
import Foundation

let manager = MessageManager(
    key: ProcessInfo.processInfo.environment["EARSHOT_KEY"] ?? "",
    configuration: .system(
        media: { [SoundMedium(microphone: $0.microphone, loudspeaker: $0.loudspeaker)] }, prompt: SystemPrompt()))
let publication = try manager.publish(Message(content: Data("hello".utf8), type: "greeting"))
let subscription = try manager.subscribe(type: "greeting")
Task { for await problem in manager.problems where !problem.isSolved { print("problem:", problem.detail) } }
for await event in subscription {
    switch event {
    case .found(let received): print("found", String(decoding: received.message.content, as: UTF8.self))
    case .lost(let received): print("lost", received.id)
    }
}
await manager.stop()
