import EarshotBasics
import EarshotMessages
import EarshotNetworks
import EarshotPush
import EarshotSystem
import Foundation
import Glibc
import NearbyWire

/// The providers' processes.
extension PushSupervisor {
    /// Compares the running providers with the wanted ones, and begins the changes.
    func reconcile() {
        let earlierPlaces = surroundings.checkedPlaces
        // All programs are checked again, and only their files are watched. The old watches remain until then.
        if surroundings.areProgramsChanged { surroundings.checkedPlaces = nil }
        defer {
            surroundings.areProgramsChanged = false
            withExtendedLifetime(earlierPlaces) {}
        }
        for (id, record) in records {
            if let run = record.run {
                if run.phase != .stopping, let reason = stopReason(record, run) { stop(id, reason) }
            } else if record.isRemoved {
                record.retry?.cancel()
                records[id] = nil
            } else if record.configuration.isEnabled, matches(record), !surroundings.isAsleep {
                if record.retry == nil { start(id) }
            } else {
                record.retry?.cancel()
                records[id]?.retry = nil
                records[id]?.policy.reset()
                // No provider is wanted: forget what blocked its start.
                records[id]?.leftoverSince = nil
            }
        }
    }

    /// The reason why a running provider must stop; nil if it need not.
    private func stopReason(_ record: PushRecord, _ run: ProviderRun) -> PushStopReason? {
        if record.isRemoved { return .configurationRemoved }
        if surroundings.isAsleep { return .sleep }
        let configuration = record.configuration
        guard configuration.isEnabled else {
            return configuration.supersededBy == nil ? .configurationDisabled : .superceded
        }
        guard matches(record) else { return .noNetworkAvailable }
        if run.differs(from: configuration) { return .superceded }
        guard let provider = configuration.provider else { return .configurationDisabled }
        guard surroundings.areProgramsChanged else { return nil }
        do throws(ProviderLocator.Refusal) {
            return try self.program(of: provider) == run.program ? nil : .appUpdate
        } catch {
            fail(configuration.identifier, error.sentence)
            return .configurationFailed
        }
    }

    // MARK: Start

    private func start(_ id: String) {
        guard let configuration = records[id]?.configuration, let provider = configuration.provider else { return }
        let program: ProviderLocator.Program
        do throws(ProviderLocator.Refusal) {
            program = try self.program(of: provider)
        } catch {
            // The checked files are watched. After a change they are checked again.
            return fail(id, error.sentence)
        }
        do throws(PrivateFolder.Failure) { try files.states.folder.make() } catch { return fail(id, "\(error)") }
        let lock: ProviderLock
        do throws(ProviderLock.Failure) {
            lock = try ProviderLock(path: files.states.lockPath(id))
        } catch {
            switch error {
            case .held: return awaitLeftover(id)
            case .unusable(let sentence): return failLater(id, sentence)
            }
        }
        records[id]?.leftoverSince = nil
        guard let (socket, process, number) = spawn(program, configuration, lock) else {
            return failLater(
                id, "Cannot start \(program.command[0]): \(String(cString: strerror(errno)).lowercased()).")
        }
        let (input, backlog, clock) = (input, FrameBacklog(), options.internals.clock)
        let connection = AgentConnection(
            socket, queue: Self.providerQueue,
            onFrame: { connection, body in
                guard backlog.add(body.count, now: clock.monotonicSeconds()),
                    let frame = AgentProtocol.decode(body, as: ProviderFrame.self)
                else {
                    connection.close()
                    input.yield(.provider(id, run: number, .invalid))
                    return
                }
                input.yield(.provider(id, run: number, .frame(frame, byteCount: body.count)))
            }, onEnd: { _ in input.yield(.provider(id, run: number, .disconnected)) })
        var run = ProviderRun(
            number: number, name: UUID().uuidString, process: process,
            socket: ProviderRun.Socket(connection: connection, backlog: backlog), configuration: configuration,
            program: program, since: wallSeconds, rates: ProviderRun.Rates(push))
        run.deadline = later(push.times.start, .provider(id, run: number, .deadline))
        records[id]?.run = run
        connection.start()
        connection.send(
            ProviderOrder.begin(
                ProviderOrder.Begin(
                    configuration: id, app: configuration.app,
                    providerConfiguration: .dictionary(configuration.providerConfiguration),
                    timerSeconds: push.times.timer)))
        log("\(configuration.app): starts \(provider) as process \(process)")
    }

    /// Starts the process, with one end of a socket and the lock.
    private func spawn(
        _ program: ProviderLocator.Program, _ configuration: PushConfiguration, _ lock: ProviderLock
    ) -> (socket: CInt, process: pid_t, number: Int)? {
        var pair: (CInt, CInt) = (-1, -1)
        let isMade = withUnsafeMutableBytes(of: &pair) { bytes in
            socketpair(
                AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0,
                bytes.bindMemory(to: CInt.self).baseAddress) == 0
        }
        guard isMade else { return nil }
        // From 10 on: the process gets lower numbers for its descriptors.
        let theirs = fcntl(pair.1, F_DUPFD_CLOEXEC, 10)
        let locked = fcntl(lock.descriptor.number, F_DUPFD_CLOEXEC, 10)
        Glibc.close(pair.1)
        defer { for descriptor in [theirs, locked] where descriptor >= 0 { Glibc.close(descriptor) } }
        journal.runCount += 1
        let (number, id, input) = (journal.runCount, configuration.identifier, input)
        let process =
            theirs < 0 || locked < 0
            ? nil
            : starts.starter.spawn(
                program.command, name: "push-\(configuration.provider ?? "")",
                variables: [
                    "EARSHOT_APP_ID=\(configuration.app)", "\(ProviderLink.socketVariable)=3",
                    "\(ProviderLink.lockVariable)=4",
                ], descriptors: [theirs, locked]
            ) { input.yield(.provider(id, run: number, .ended(status: $0))) }
        guard let process else {
            let code = errno
            Glibc.close(pair.0)
            errno = code
            return nil
        }
        lock.note(process)
        return (pair.0, process, number)
    }

    /// A process that an earlier agent started has not ended yet. It ends within a second, or is killed.
    private func awaitLeftover(_ id: String) {
        let path = files.states.lockPath(id)
        let since = records[id]?.leftoverSince ?? now
        records[id]?.leftoverSince = since
        if now - since >= push.times.leftover, let process = ProviderLock.holder(path: path) {
            log("process \(process) of an earlier agent does not end: it is killed")
            kill(-process, SIGKILL)
            records[id]?.leftoverSince = nil
        }
        records[id]?.lastError = "An earlier process of the provider has not ended yet."
        records[id]?.retry = later(push.times.leftoverRetry, .retryDue(id))
    }

    /// Records why there is no provider. The next attempt follows only a change.
    private func fail(_ id: String, _ sentence: String) {
        guard records[id]?.lastError != sentence else { return }
        records[id]?.lastError = sentence
        log("\(records[id]?.configuration.app ?? id): \(sentence)")
    }

    /// The same, and tries again after a pause.
    private func failLater(
        _ id: String, _ sentence: String, _ failure: RestartPolicy.Failure = .crash, ranWell: Bool = false
    ) {
        guard let pause = records[id]?.policy.pause(after: failure, ranWell: ranWell) else { return }
        records[id]?.lastError = sentence
        records[id]?.restartCount += 1
        records[id]?.retry = later(pause, .retryDue(id))
        log("\(records[id]?.configuration.app ?? id): \(sentence) The next start is in \(pause.formatted()) s.")
    }

    // MARK: Stop

    private func stop(_ id: String, _ reason: PushStopReason) {
        guard let run = records[id]?.run, run.phase != .stopping else { return }
        run.deadline?.cancel()
        records[id]?.run?.phase = .stopping
        records[id]?.run?.deadline = later(push.times.grace, .provider(id, run: run.number, .deadline))
        records[id]?.lastStopReason = reason
        run.socket.connection.send(ProviderOrder.stop(ProviderOrder.Stop(reason)))
        log("\(run.configuration.app): stops process \(run.process), reason \(reason)")
        tellStates(run.configuration.app)
    }

    // MARK: Events of a process

    func take(_ news: ProviderNews, of id: String, run number: Int) {
        guard let run = records[id]?.run, run.number == number else { return }
        switch news {
        case .frame(let frame, let byteCount):
            run.socket.backlog.remove(byteCount)
            take(frame, of: id, run)
        case .invalid:
            log("\(run.configuration.app): process \(run.process) does not keep to the protocol: it is killed")
            run.signal(SIGKILL)
        case .disconnected:
            // Usually because it ends; if not, it cannot be reached any longer.
            run.deadline?.cancel()
            records[id]?.run?.deadline = later(push.times.termination, .provider(id, run: number, .deadline))
            records[id]?.run?.socket.isClosed = true
            if run.phase == .active { records[id]?.run?.phase = .starting }
            tellStates(run.configuration.app)
        case .deadline: overdue(id, run)
        case .ended(let status): ended(id, run, status)
        }
    }

    private func take(_ frame: ProviderFrame, of id: String, _ run: ProviderRun) {
        switch frame {
        case .started(let started):
            guard run.phase == .starting, run.startedAt == nil else { return }
            run.deadline?.cancel()
            if let error = started.error {
                records[id]?.run?.startError = String(error.prefix(1_000))
                return stop(id, .providerFailed)
            }
            records[id]?.run?.phase = .active
            records[id]?.run?.startedAt = now
            records[id]?.lastError = nil
            log("\(run.configuration.app): process \(run.process) is active")
            tellStates(run.configuration.app)
        case .report(let report):
            let refusal = accept(report, id, run)
            if let refusal { log("\(run.configuration.app): refuses what the provider reports: \(refusal)") }
            run.socket.connection.send(ProviderOrder.answer(ProviderOrder.Answer(id: report.id, refusal: refusal)))
        case .notify(let notify):
            let refusal = accept(notify, id, run)
            // The provider may repeat it for hours.
            if let refusal, refusal != run.rates.latestRefusal {
                log("\(run.configuration.app): refuses a notification: \(refusal)")
            }
            records[id]?.run?.rates.latestRefusal = refusal
            run.socket.connection.send(ProviderOrder.answer(ProviderOrder.Answer(id: notify.id, refusal: refusal)))
        case .unmatchEthernet:
            guard surroundings.situation?.primary == .ethernet else { return }
            log("\(run.configuration.app): this Ethernet is not the provider's")
            records[id]?.isEthernetUnmatched = true
        case .stopped: break  // The process ends now.
        }
    }

    /// A time limit has passed.
    private func overdue(_ id: String, _ run: ProviderRun) {
        switch run.phase {
        case .starting, .active:
            if run.socket.isClosed { return run.signal(SIGKILL) }
            records[id]?.run?.startError = "Its start took more than \(push.times.start.formatted()) s."
            stop(id, .providerFailed)
        case .stopping:
            log("\(run.configuration.app): process \(run.process) does not stop: SIGTERM, then SIGKILL")
            run.signal(SIGTERM)
            let (process, seconds) = (run.process, push.times.termination)
            records[id]?.run?.deadline = Task {
                if (try? await Task.sleep(for: .seconds(seconds))) != nil { kill(-process, SIGKILL) }
            }
        }
    }

    private func ended(_ id: String, _ run: ProviderRun, _ status: CInt) {
        run.deadline?.cancel()
        // Programs that it has started must not outlive it.
        run.signal(SIGKILL)
        run.socket.connection.close()
        records[id]?.run = nil
        let ending = AppStarter.ending(status)
        tellStates(run.configuration.app)
        let ranWell = run.startedAt.map { now - $0 >= push.times.well } ?? false
        if let error = run.startError {
            failLater(id, "Its start failed: \(error)")
        } else if run.phase == .stopping {
            log("\(run.configuration.app): process \(run.process) \(ending)")
        } else {
            records[id]?.lastStopReason = .providerFailed
            let isKilled = status & 0x7F == SIGKILL && run.startedAt != nil
            failLater(id, "Process \(run.process) \(ending).", isKilled ? .kill : .crash, ranWell: ranWell)
        }
    }
}
