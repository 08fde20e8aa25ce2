extension AdvertisementPattern {
    /// The part of an advertisement that the pattern describes; nil if the advertisement has none.
    func part(of content: Advertisement) -> Advertisement? {
        switch self {
        case .serviceData(let service):
            return content.serviceData[service].map { Advertisement(serviceData: [service: $0]) }
        case .manufacturerData(let company, let prefix):
            guard let data = content.manufacturerData[company], data.starts(with: prefix) else { return nil }
            return Advertisement(manufacturerData: [company: data])
        }
    }
}
