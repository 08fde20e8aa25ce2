import EarshotDiscovery

/// The life of operations: permission, start, stop and status.
extension Exchange {
    func add(_ operation: OperationCore) {
        guard !operation.isOver else { return }
        let number = operation.number
        followForeground()
        var entry = Entry(operation: operation)
        let permission = configuration.permission
        let purpose = purpose(of: operation)
        if let refusal = permission.refusal(of: purpose) {
            entries[number] = entry
            note("operation \(number): refused")
            return configuration.warn(refusal)
        }
        watchPermission(operation.locationNeed)
        entry.asking = Task {
            let state = await permission.request(purpose, override: operation.consent)
            if !Task.isCancelled { decide(number, state) }
        }
        entries[number] = entry
        note("operation \(number): asking for permission")
    }

    /// The request that consent is asked for. Looking for beacons is scanning by Bluetooth.
    private func purpose(of operation: OperationCore) -> ConsentPurpose {
        let strategy = operation.strategy
        let isForBeacons = operation.beacons != nil
        return ConsentPurpose(
            applicationIdentifier: configuration.applicationIdentifier,
            mode: isForBeacons ? strategy.mode.union(.scan) : strategy.mode,
            media: isForBeacons ? strategy.media?.union([.bluetooth]) : strategy.media,
            findsBeacons: isForBeacons && operation.usefulMode.isEmpty, needsLocation: operation.locationNeed != .none,
            goesOnInBackground: operation.locationNeed == .always)
    }

    /// Begins before the first request, so that no change is missed.
    private func watchPermission(_ need: LocationNeed) {
        guard watching[need] == nil else { return }
        let (permission, input) = (configuration.permission, input)
        let changes =
            switch need {
            case .none: permission.changes(needsLocation: false)
            case .inForeground: permission.changes(needsLocation: true)
            case .always: permission.backgroundLocationChanges
            }
        watching[need] = Task {
            for await state in changes { input.yield(.permission(state, need)) }
        }
    }

    /// The first state is the one before any request, and changes nothing.
    func decide(_ state: PermissionState, for need: LocationNeed) {
        let decision = decisions.updateValue(state, forKey: need)
        guard let decision, decision != state else { return }
        for (number, entry) in entries where entry.permission != nil && entry.operation.locationNeed == need {
            decide(number, state)
        }
    }

    private func decide(_ number: Int, _ state: PermissionState) {
        guard !isClosed, let entry = entries[number], entry.permission != state else { return }
        entries[number]?.permission = state
        note("operation \(number): permission \(state.rawValue)")
        if state == .granted { start(number) } else if entry.isRunning || entry.keeping != nil { halt(number) }
    }

    private func start(_ number: Int) {
        guard let operation = entries[number]?.operation, !operation.isOver else { return }
        guard isForeground || operation.isAllowedInBackground else {
            note("operation \(number): waits for the app to come to the foreground")
            warnOfBackground()
            return
        }
        if keep(number) { updateSituation() } else { startHere(number) }
    }

    /// A program without a terminal is in the background from its start, and its user sees nothing happen.
    private func warnOfBackground() {
        guard !hasWarnedOfBackground else { return }
        hasWarnedOfBackground = true
        configuration.warn(
            "\(configuration.applicationIdentifier) is in the background, where only operations run that are allowed there. Start "
                + "it in the foreground of a terminal, or allow them.")
    }

    /// Begins before the first operation, if operations end with the foreground.
    private func followForeground() {
        guard let foreground = configuration.foreground, followingForeground == nil else { return }
        let input = input
        followingForeground = Task {
            for await isActive in foreground.changes { input.yield(.foreground(isActive)) }
        }
    }

    /// The app came to the foreground, or left it.
    func follow(_ isActive: Bool) {
        guard isActive != isForeground else { return }
        isForeground = isActive
        note(isActive ? "the app is in the foreground" : "the app is in the background")
        for (number, entry) in entries where entry.permission == .granted && !entry.operation.isAllowedInBackground {
            if isActive { start(number) } else { halt(number) }
        }
    }

    /// Runs an operation in this process.
    func startHere(_ number: Int) {
        guard let operation = entries[number]?.operation, !operation.isOver else { return }
        // A subscription to beacons only opens no medium.
        entries[number]?.kinds = operation.usefulMode.isEmpty ? [] : choose(for: operation)
        entries[number]?.scan = chooseScan(for: operation)
        let isNearby = entries[number]?.isNearby == true
        guard isNearby || entries[number]?.scan != nil else {
            note("operation \(number): no medium is available to run on")
            return
        }
        entries[number]?.isRunning = true
        if let limit = operation.strategy.timeToLive, entries[number]?.timeLimit == nil {
            entries[number]?.timeLimit = Task {
                if (try? await Task.sleep(for: limit)) != nil { operation.end() }
            }
        }
        if operation.order != nil, isNearby { restartWorker(number) }
        giveDirectMessages(to: number)
        updateLoops()
        updateMessages()
        wakeLookUps()
        plan()
        refresh(number)
    }

    /// Stops the tasks of an operation and makes it inactive.
    func halt(_ number: Int, isWithdrawing: Bool = true) {
        guard let entry = entries[number] else { return }
        entry.timeLimit?.cancel()
        entries[number]?.timeLimit = nil
        entries[number]?.keeping = nil
        board.end(for: .agent(number))
        for event in entries[number]?.found.loseAll() ?? [] { entry.operation.events.add(event) }
        for event in entries[number]?.beaconMessages.update([]) ?? [] { entry.operation.events.add(event) }
        stopHere(number, isWithdrawing: isWithdrawing)
        updateSituation()
    }

    /// Stops the tasks of an operation in this process. What it has found stays found.
    func stopHere(_ number: Int, isWithdrawing: Bool = true) {
        guard let entry = entries[number] else { return }
        entry.worker?.cancel()
        board.end(for: .operation(number))
        board.leave(.registering(number))
        if isWithdrawing, let lease = entry.lease, let session {
            withdraw(lease.name, in: session, until: lease.expiresAt)
        }
        entries[number]?.scan = nil
        entries[number]?.lease = nil
        entries[number]?.worker = nil
        entries[number]?.isRunning = false
        entries[number]?.isRefused = false
        entries[number]?.hasFailed = false
        refresh(number)
        updateLoops()
        plan()
    }

    func remove(_ number: Int) {
        guard let entry = entries[number] else { return }
        note("operation \(number): ended")
        entry.asking?.cancel()
        releaseFromAgent(number)
        halt(number)
        entries[number] = nil
    }

    /// Updates the status of an operation.
    func refresh(_ number: Int) {
        guard let entry = entries[number] else { return }
        let status: OperationStatus
        if let keeping = entry.keeping, !entry.isRunning {
            status = keeping.isHeld ? keeping.status : .starting
        } else if !entry.isRunning || entry.isRefused {
            status = .inactive
        } else if let scan = entry.scan, !entry.isNearby {
            status = isOpen(scan) && session != nil ? .active : .starting
        } else if entry.operation.order == nil {
            status = entry.operation.strategy.mode.isDisjoint(with: entry.operation.usefulMode) ? .inactive : .active
        } else {
            status = entry.lease?.isValid(now: now) == true ? .active : .starting
        }
        if status != entry.operation.status { note("operation \(number): \(status)") }
        entry.operation.set(status)
    }

    /// Starts the loops that the operations need for the service, and stops those that none needs any more.
    func updateLoops() {
        updateScans()
        let needy = entries.values.filter {
            $0.isRunning && !$0.isRefused && $0.isNearby && $0.operation.order != nil
        }
        if needy.isEmpty {
            for task in [reporting, reading, reportSleeper] { task?.cancel() }
            (reporting, reading) = (nil, nil)
            for source in [ProblemBoard.Source.reporting, .reading] { board.leave(source) }
            // Questions about beacons need the session too.
            if scans.isEmpty {
                opening?.cancel()
                opening = nil
                board.leave(.session)
            }
            return
        }
        if reporting == nil { reporting = Task { await keepReporting() } }
        if !needy.contains(where: \.operation.isSubscription) {
            reading?.cancel()
            reading = nil
            board.leave(.reading)
        } else if reading == nil {
            reading = Task { await keepReading() }
        }
    }
}
