/// What the client asks of a service.
package protocol MessageService: Sendable {}
