import EarshotChannel
import EarshotDSP
import Foundation

/// The noise floor of the search, and the median that gives a frame's noise tone by tone.
let orderStatisticKernels = [
    KernelMeasurement(name: "median of 52 energies") { measureSelection(26, of: 52, minimumRatio: 0.7) },
    KernelMeasurement(name: "lower tenth of 1,664 energies") { measureSelection(166, of: 1_664, minimumRatio: 2.1) },
    KernelMeasurement(name: "noise floor, `standard`") { measureNoiseFloor() },
]

private func measureSelection(_ rank: Int, of count: Int, minimumRatio: Double) -> KernelResult {
    let setCount = 19_968 / count
    let sets = complexNoise(count * setCount, seed: 5).map(\.power)
    var selected = [Float](repeating: 0, count: setCount)
    var naive = selected
    var scratch = [Float](repeating: 0, count: count)
    return compare(
        unit: "value", unitCount: sets.count, minimumRatio: minimumRatio, tolerance: 0,
        kernel: {
            for set in 0..<setCount {
                for index in 0..<count {
                    scratch[index] = sets[set * count + index]
                }
                var values = scratch.mutableSpan
                selected[set] = select(rank, of: &values)
            }
        },
        twin: {
            for set in 0..<setCount {
                naive[set] = sets[set * count..<(set + 1) * count].sorted()[rank]
            }
        },
        difference: { relativeDifference(selected, naive) })
}

private func measureNoiseFloor() -> KernelResult {
    // A block of the search for `standard`: 32 rows of 73 bins, with a steady tone and a hop or two in it.
    let (binCount, rowStride, rowCount, blockCount) = (73, 80, 32, 20)
    var energies = complexNoise(blockCount * rowCount * rowStride, seed: 6).map(\.power)
    for row in 0..<blockCount * rowCount {
        energies[row * rowStride + 20] += 1_000
        energies[row * rowStride + row * 7 % binCount] += 30
    }
    var floor = NoiseFloor(binCount: binCount)
    // Later runs continue from the floor of earlier ones; the twin always starts from none.
    var inverse: [Float] = []
    var naive: [Float] = []
    // The fast logarithm and power are good to half a per cent together.
    return compare(
        unit: "row", unitCount: blockCount * rowCount, minimumRatio: 3.1, tolerance: 0.02,
        kernel: {
            for block in 0..<blockCount {
                floor.update(energies, from: block * rowCount * rowStride, rowCount: rowCount, rowStride: rowStride)
            }
            if inverse.isEmpty { inverse.append(contentsOf: floor.inverseFloor) }
        },
        twin: {
            var floor = NaiveNoiseFloor(binCount: binCount)
            for block in 0..<blockCount {
                floor.update(energies, from: block * rowCount * rowStride, rowCount: rowCount, rowStride: rowStride)
            }
            naive = floor.inverse
        },
        difference: { relativeDifference(inverse, naive) })
}

/// The noise floor of `NoiseFloor`, by its formula.
struct NaiveNoiseFloor {
    private let binCount: Int
    private var blocksSeen = 0
    private var smoothedLog: [Float]
    private var smoothedMean: [Float]
    private(set) var inverse: [Float]

    init(binCount: Int) {
        self.binCount = binCount
        smoothedLog = [Float](repeating: 0, count: binCount)
        smoothedMean = smoothedLog
        inverse = smoothedLog
    }

    mutating func update(_ energies: [Float], from first: Int, rowCount: Int, rowStride: Int) {
        blocksSeen += 1
        let weight = max(1 / Float(blocksSeen), 1 / 8)
        var now = [Float](repeating: 0, count: binCount)
        for bin in 0..<binCount {
            var mean: Float = 0
            for row in 0..<rowCount {
                let energy = energies[first + row * rowStride + bin]
                now[bin] += log(energy + 1e-15) / Float(rowCount)
                mean += energy / Float(rowCount)
            }
            smoothedLog[bin] += weight * (now[bin] - smoothedLog[bin])
            smoothedMean[bin] += weight * (mean - smoothedMean[bin])
        }
        let everyOther = stride(from: 0, to: binCount, by: 2).map { smoothedMean[$0] }.sorted()
        let common = max(everyOther[everyOther.count / 2], 1e-15)
        let gamma: Float = 0.577_215_7
        for bin in 0..<binCount {
            inverse[bin] = 1 / max(exp(gamma + smoothedLog[bin]), exp(gamma + now[bin]) / 2, common)
        }
    }
}
