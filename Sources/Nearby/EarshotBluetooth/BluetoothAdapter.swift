package import EarshotDBus

/// A Bluetooth adapter of this machine, through BlueZ: receives advertisements and sends them.
///
///     let adapter = BluetoothAdapter()
///     for await event in adapter.events([.serviceData(eddystone)], power: .low) { print(event) }
///
/// The adapter is used only while a stream is read. If it is missing, off or not permitted, the streams report a
/// problem, and continue when it works. Neither scanning nor advertising needs root.
public final class BluetoothAdapter: AdvertisementSource {
    private let scanner: Scanner
    private let advertiser: Advertiser

    /// - Parameters:
    ///   - name: the name of the adapter, such as `hci1`; nil for the first that is switched on.
    ///   - log: receives a line about bluetoothd before the first scan, and when another kind of it runs.
    public convenience init(_ name: String? = nil, log: @escaping @Sendable (String) -> Void = { _ in }) {
        self.init(name, bus: .system, log: log)
    }

    /// An adapter on a bus other than the system's.
    package init(_ name: String?, bus: DBusBus, log: @escaping @Sendable (String) -> Void = { _ in }) {
        let watch = AdapterWatch(bus: bus, name: name)
        scanner = Scanner(watch, log: log)
        advertiser = Advertiser(watch)
    }

    /// See `AdvertisementSource`.
    public func events(_ patterns: [AdvertisementPattern], power: ScanPower) -> AsyncStream<ScanEvent> {
        scanner.events(patterns, power: power)
    }

    /// Sends advertisements until the stream is no longer read.
    /// - Parameter contents: the advertisements to send from now on, each list replaces the one before.
    /// - Returns: the events of advertising.
    public func advertise(_ contents: AsyncStream<[Advertisement]>) -> AsyncStream<AdvertisingEvent> {
        advertiser.events(contents)
    }

    /// Sends advertisements until the stream is no longer read.
    public func advertise(_ contents: Advertisement...) -> AsyncStream<AdvertisingEvent> {
        advertiser.events(AsyncStream { $0.yield(contents) })
    }

    /// Waits until the work for streams that are no longer read has ended: their advertisements are off the air, and
    /// the radio scans only for the other streams.
    public func waitUntilClosed() async {
        await scanner.waitUntilClosed()
        await advertiser.waitUntilClosed()
    }
}
