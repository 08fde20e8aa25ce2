// Runs ggwave for `earshot-bench peers`. install.sh builds it from the sources on PyPI with their own compiler flags.
// The Python module would not do: it cannot move a protocol to other frequencies, and the interpreter's start would
// count as ggwave's time and memory.
//
//     ggwave_peer serve  PROTOCOL PAYLOAD_LENGTH FIRST_BIN MARKER_THRESHOLD
//     ggwave_peer decode PROTOCOL PAYLOAD_LENGTH FIRST_BIN MARKER_THRESHOLD FILE.wav
//
// PROTOCOL is a number of ggwave_ProtocolId, PAYLOAD_LENGTH 0 for variable length, FIRST_BIN the lowest tone in steps
// of 46.875 Hz, 0 for the protocol's own, MARKER_THRESHOLD ggwave's soundMarkerThreshold, 0 for its default. The receiver
// tries this protocol only, as ggwave's documentation advises; decode with the PROTOCOL "all" tries every protocol.
//
// serve answers requests on standard input until its end, each a letter, a count and data; numbers as this machine has
// them, samples as 32-bit floats at 48 kHz:
//     E count bytes    -> count samples
//     D count samples  -> count of payloads, each count bytes
// Every request begins with a new instance, which knows nothing of earlier requests.
// decode reads a 16-bit mono WAV file as a listening program would and prints every payload in hexadecimal.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <sysexits.h>

#include "ggwave/ggwave.h"

namespace {

struct Mode {
    ggwave_ProtocolId protocol;
    int payloadLength;
    int firstBin;
    float markerThreshold;
};

[[noreturn]] void fail(const char * what) {
    fprintf(stderr, "ggwave_peer: %s\n", what);
    exit(EX_SOFTWARE);
}

class Instance {
public:
    Instance(const Mode & mode, int operatingMode, ggwave_SampleFormat format) {
        auto parameters = ggwave_getDefaultParameters();
        parameters.payloadLength = mode.payloadLength;
        if (mode.markerThreshold > 0) parameters.soundMarkerThreshold = mode.markerThreshold;
        parameters.sampleFormatInp = format;
        parameters.sampleFormatOut = format;
        parameters.operatingMode = operatingMode;
        id = ggwave_init(parameters);
        if (id < 0) fail("no instance");
    }
    ~Instance() { ggwave_free(id); }
    Instance(const Instance &) = delete;
    Instance & operator=(const Instance &) = delete;

    int id;
};

constexpr int kAllProtocols = -1;

// Sets the abilities of later instances.
void choose(const Mode & mode) {
    // ggwave's default.
    if (mode.protocol == kAllProtocols) return;
    for (int other = 0; other < GGWAVE_PROTOCOL_COUNT; ++other) {
        const auto protocol = static_cast<ggwave_ProtocolId>(other);
        ggwave_rxToggleProtocol(protocol, protocol == mode.protocol);
        ggwave_txToggleProtocol(protocol, protocol == mode.protocol);
    }
    if (mode.firstBin > 0) {
        ggwave_rxProtocolSetFreqStart(mode.protocol, mode.firstBin);
        ggwave_txProtocolSetFreqStart(mode.protocol, mode.firstBin);
    }
}

constexpr uint32_t kMostBytes = 1 << 28;
constexpr int kFrameSamples = 1024;
using Payload = std::vector<uint8_t>;

// One analysis frame for each call, because a call reports only the last payload.
void listen(int instance, const uint8_t * sound, size_t byteCount, size_t sampleBytes, std::vector<Payload> & found) {
    uint8_t payload[GGWave::kMaxDataSize];
    const size_t step = kFrameSamples * sampleBytes;
    for (size_t start = 0; start < byteCount; start += step) {
        const int count = static_cast<int>(byteCount - start < step ? byteCount - start : step);
        const int length = ggwave_ndecode(instance, sound + start, count, payload, sizeof payload);
        if (length > 0) found.emplace_back(payload, payload + length);
    }
}

bool read(void * data, size_t byteCount) { return fread(data, 1, byteCount, stdin) == byteCount; }

void write(const void * data, size_t byteCount) {
    if (fwrite(data, 1, byteCount, stdout) != byteCount) fail("cannot answer");
}

void write(uint32_t count) { write(&count, sizeof count); }

void encode(const Mode & mode, const Payload & payload) {
    const Instance instance(mode, GGWAVE_OPERATING_MODE_TX, GGWAVE_SAMPLE_FORMAT_F32);
    const int size = static_cast<int>(payload.size());
    const int volume = 100;
    const int most = ggwave_encode(instance.id, payload.data(), size, mode.protocol, volume, nullptr, 1);
    if (most <= 0) fail("cannot encode");
    std::vector<uint8_t> waveform(most);
    const int made = ggwave_encode(instance.id, payload.data(), size, mode.protocol, volume, waveform.data(), 0);
    if (made <= 0) fail("cannot encode");
    write(static_cast<uint32_t>(made / sizeof(float)));
    write(waveform.data(), made);
}

void decode(const Mode & mode, const std::vector<uint8_t> & sound) {
    const Instance instance(mode, GGWAVE_OPERATING_MODE_RX, GGWAVE_SAMPLE_FORMAT_F32);
    std::vector<Payload> found;
    listen(instance.id, sound.data(), sound.size(), sizeof(float), found);
    write(static_cast<uint32_t>(found.size()));
    for (const auto & payload : found) {
        write(static_cast<uint32_t>(payload.size()));
        write(payload.data(), payload.size());
    }
}

int serve(const Mode & mode) {
    char request;
    while (read(&request, 1)) {
        uint32_t count;
        if (!read(&count, sizeof count) || count > kMostBytes / sizeof(float)) fail("no such request");
        std::vector<uint8_t> data(request == 'E' ? count : count * sizeof(float));
        if (!read(data.data(), data.size())) fail("half a request");
        switch (request) {
            case 'E': encode(mode, data); break;
            case 'D': decode(mode, data); break;
            default: fail("no such request");
        }
        fflush(stdout);
    }
    return 0;
}

int decodeFile(const Mode & mode, const char * path) {
    FILE * file = fopen(path, "rb");
    if (!file) fail("cannot open the recording");
    const long headerBytes = 44;
    if (fseek(file, headerBytes, SEEK_SET) != 0) fail("no recording");
    const Instance instance(mode, GGWAVE_OPERATING_MODE_RX, GGWAVE_SAMPLE_FORMAT_I16);
    std::vector<uint8_t> block(64 * kFrameSamples * sizeof(int16_t));
    std::vector<Payload> found;
    while (const size_t byteCount = fread(block.data(), 1, block.size(), file)) {
        listen(instance.id, block.data(), byteCount, sizeof(int16_t), found);
        for (const auto & payload : found) {
            for (const uint8_t byte : payload) printf("%02x", byte);
            putchar('\n');
        }
        found.clear();
    }
    fclose(file);
    return 0;
}

}  // namespace

int main(int argc, char ** argv) {
    const bool isServing = argc == 6 && strcmp(argv[1], "serve") == 0;
    const bool isDecoding = argc == 7 && strcmp(argv[1], "decode") == 0;
    if (!isServing && !isDecoding) {
        fail("usage: serve|decode PROTOCOL PAYLOAD_LENGTH FIRST_BIN MARKER_THRESHOLD [FILE.wav]");
    }
    ggwave_setLogFile(nullptr);
    const int protocol = strcmp(argv[2], "all") == 0 ? kAllProtocols : atoi(argv[2]);
    const Mode mode = {static_cast<ggwave_ProtocolId>(protocol), atoi(argv[3]), atoi(argv[4]),
                       strtof(argv[5], nullptr)};
    choose(mode);
    return isServing ? serve(mode) : decodeFile(mode, argv[6]);
}
