import RealModule

extension Reference {
    /// The element at index count/2 of the sorted values.
    public static func median<Value: Comparable>(_ values: [Value]) -> Value {
        values.sorted()[values.count / 2]
    }

    /// The noise floor of each bin after the last of `blocks`; shape blocks[block][row][bin].
    ///
    ///     now[bin]    = e^γ · exp(mean over the block's rows of ln E)
    ///     g[bin]      = now, averaged over blocks in the logarithm
    ///     a[bin]      = mean over rows of E, averaged over blocks
    ///     floor[bin]  = max(g, now/2, median over every other bin of a)
    ///
    /// The first eight blocks have equal weight; after them the latest block has weight 1/8.
    public static func noiseFloor(_ blocks: [[[Double]]]) -> [Double] {
        let gamma = 0.577_215_664_901_532_9
        let binCount = blocks[0][0].count
        var smoothedLog = [Double](repeating: 0, count: binCount)
        var smoothedMean = smoothedLog
        var now = smoothedLog
        for (index, rows) in blocks.enumerated() {
            let weight = max(1 / Double(index + 1), 1.0 / 8)
            for bin in 0..<binCount {
                now[bin] = rows.reduce(0) { $0 + .log($1[bin] + 1e-15) } / Double(rows.count)
                let mean = rows.reduce(0) { $0 + $1[bin] } / Double(rows.count)
                smoothedLog[bin] += weight * (now[bin] - smoothedLog[bin])
                smoothedMean[bin] += weight * (mean - smoothedMean[bin])
            }
        }
        let common = max(median(stride(from: 0, to: binCount, by: 2).map { smoothedMean[$0] }), 1e-15)
        return (0..<binCount).map { bin in
            max(.exp(gamma + smoothedLog[bin]), .exp(gamma + now[bin]) / 2, common)
        }
    }
}
