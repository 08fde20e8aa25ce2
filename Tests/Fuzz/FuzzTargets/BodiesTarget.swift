import Foundation
import NearbyWire

/// A body that the parser understands survives its own encoding.
func fuzzBodies(_ bytes: [UInt8]) {
    let body = Data(bytes)
    repeated(body, SessionOrderBody.self)
    repeated(body, SealingBody.self)
    repeated(body, SessionBody.self)
    repeated(body, ProblemBody.self)
    repeated(body, KeyBody.self)
    repeated(body, ChangeBody.self)
    repeated(body, ReadyBody.self)
    repeated(body, LookUpBody.self)
    repeated(body, LookUpAnswerBody.self)
    repeated(body, TokenOfferBody.self)
    repeated(body, PublicationOrderBody.self)
    repeated(body, SubscriptionOrderBody.self)
    repeated(body, RenewalBody.self)
    repeated(body, TokenBody.self)
    repeated(body, RegistrationBody.self)
    repeated(body, SightingsBody.self)
    repeated(body, SightingsAnswerBody.self)
}

private func repeated<Body: Codable & Hashable>(_ bytes: Data, _ type: Body.Type) {
    guard let body = try? JSONDecoder().decode(type, from: bytes) else { return }
    guard let again = try? JSONEncoder().encode(body) else { fatalError("\(body) cannot be written") }
    let second = try? JSONDecoder().decode(type, from: again)
    require(second == body, "\(body) became \(second.map { "\($0)" } ?? "nothing")")
}
