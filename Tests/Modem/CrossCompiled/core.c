// Checks the modem against its vectors and fixtures through the C interface, as code for another processor.
//
//     core LIST
//
// core.sh writes LIST: a line for each check. The tolerance of samples is that of TransmitVectorTests.
#include "earshot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAXIMUM_TONES = 512, MAXIMUM_TEXT = 65 };

int earshot_tones(
    const uint8_t *payload, size_t payload_size, uint32_t profile, float *hertz, size_t capacity, double *symbol_seconds);

static int failures, checks;

static void check(int holds, const char *what, const char *text) {
    checks++;
    if (holds) return;
    failures++;
    fprintf(stderr, "failed: %s: %s\n", what, text);
}

static size_t bytes_of(const char *text, uint8_t *bytes) {
    size_t count = strlen(text) / 2;
    for (size_t i = 0; i < count; i++) {
        unsigned value = 0;
        if (sscanf(text + 2 * i, "%2x", &value) != 1) exit(65);
        bytes[i] = (uint8_t)value;
    }
    return count;
}

static void need(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "cannot read the list: %s\n", what);
    exit(65);
}

/// frame PROFILE PAYLOAD COUNT HERTZ…
static void frame(FILE *list) {
    unsigned profile, count;
    char text[MAXIMUM_TEXT];
    uint8_t payload[EARSHOT_MAXIMUM_PAYLOAD];
    float hertz[MAXIMUM_TONES];
    double symbol_seconds;
    need(fscanf(list, "%u %64s %u", &profile, text, &count) == 3, "frame");
    int tones = earshot_tones(payload, bytes_of(text, payload), profile, hertz, MAXIMUM_TONES, &symbol_seconds);
    check(tones == (int)count, "number of tones", text);
    for (unsigned i = 0; i < count; i++) {
        double wanted;
        need(fscanf(list, "%lf", &wanted) == 1, "hertz");
        // Single precision at 20 kHz has steps of 0.002 Hz; tones are 23.4 Hz apart or more.
        if (tones == (int)count && fabs(hertz[i] - wanted) > 0.01) check(0, "tone", text);
    }
}

static float *sound_of(uint32_t profile, uint32_t rate, const uint8_t *payload, size_t size, size_t *count) {
    earshot_transmission transmission = {.size = sizeof transmission, .sample_rate_hertz = rate, .profile = profile};
    transmission.amplitude = 1;
    need(earshot_transmit_sample_count(&transmission, size, count) == EARSHOT_OK, "sample count");
    float *samples = calloc(*count, sizeof *samples);
    size_t written;
    earshot_status status = earshot_transmit_float(&transmission, payload, size, samples, *count, &written);
    need(samples && status == EARSHOT_OK && written == *count, "transmit");
    return samples;
}

/// wave PROFILE PAYLOAD RATE COUNT NUMBER (INDEX VALUE)…
static void wave(FILE *list) {
    unsigned profile, rate, count, number;
    char text[MAXIMUM_TEXT];
    uint8_t payload[EARSHOT_MAXIMUM_PAYLOAD];
    need(fscanf(list, "%u %64s %u %u %u", &profile, text, &rate, &count, &number) == 5, "wave");
    size_t made;
    size_t size = bytes_of(text, payload);
    float *samples = sound_of(profile, rate, payload, size, &made);
    check(made == count, "number of samples", text);
    for (unsigned i = 0; i < number; i++) {
        unsigned index;
        double value;
        need(fscanf(list, "%u %lf", &index, &value) == 2, "sample");
        check(index < made && fabs(samples[index] - value) < 1.5e-4, "sample", text);
    }
    free(samples);
}

/// sound NAME RATE COUNT FILE NUMBER (PROFILE PAYLOAD)…: floats of one channel, and every frame in them.
static void sound(FILE *list) {
    char name[256], path[1024], wanted[16][MAXIMUM_TEXT];
    unsigned rate, count, number, profiles[16];
    need(fscanf(list, "%255s %u %u %1023s %u", name, &rate, &count, path, &number) == 5 && number <= 16, "sound");
    for (unsigned i = 0; i < number; i++) {
        need(fscanf(list, "%u %64s", &profiles[i], wanted[i]) == 2, "payload");
    }
    float *samples = calloc(count, sizeof *samples);
    FILE *file = fopen(path, "rb");
    need(samples && file && fread(samples, sizeof *samples, count, file) == count, path);
    fclose(file);

    earshot_receiver_options options = {.size = sizeof options, .sample_rate_hertz = rate, .channel_count = 1};
    earshot_receiver *receiver;
    need(earshot_receiver_create(&options, &receiver) == EARSHOT_OK, "receiver");
    for (size_t first = 0; first < count; first += 1024) {
        size_t length = count - first < 1024 ? count - first : 1024;
        check(earshot_receiver_push_float(receiver, samples + first, length) == EARSHOT_OK, "push", name);
    }
    check(earshot_receiver_flush(receiver) == EARSHOT_OK, "flush", name);
    unsigned heard = 0;
    earshot_frame frame;
    while (earshot_receiver_poll(receiver, &frame, sizeof frame) == EARSHOT_OK) {
        char text[MAXIMUM_TEXT] = "";
        for (unsigned i = 0; i < frame.payload_size; i++) sprintf(text + 2 * i, "%02x", frame.payload[i]);
        unsigned place = 0;
        while (place < number && (strcmp(text, wanted[place]) != 0 || frame.profile != profiles[place])) place++;
        check(place < number, "a frame that is not in the sound", name);
        heard++;
    }
    check(heard == number, "number of frames", name);
    printf("%s: %u of %u frames\n", name, heard, number);
    earshot_receiver_destroy(receiver);
    free(samples);
}

int main(int argc, char **argv) {
    FILE *list = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!list) {
        fprintf(stderr, "usage: core LIST\n");
        return 64;
    }
    char kind[16];
    while (fscanf(list, "%15s", kind) == 1) {
        if (strcmp(kind, "frame") == 0) frame(list);
        else if (strcmp(kind, "wave") == 0) wave(list);
        else if (strcmp(kind, "sound") == 0) sound(list);
        else need(0, kind);
    }
    fclose(list);
    printf("%d checks, %d failed\n", checks, failures);
    return failures > 0 || checks == 0;
}
