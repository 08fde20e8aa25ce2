// Tests every function of earshot.h with good and with bad arguments.
//
//     interface        prints each failure, and at the end "N passed, M failed"
#define _GNU_SOURCE
#include <earshot.h>

#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Programs that were compiled with 0.2 rely on these sizes.
_Static_assert(sizeof(earshot_receiver_options) == 32, "earshot_receiver_options");
_Static_assert(sizeof(earshot_transmission) == 24, "earshot_transmission");
_Static_assert(sizeof(earshot_frame) == 88, "earshot_frame");
_Static_assert(offsetof(earshot_frame, start_sample) == 40, "earshot_frame.start_sample");
_Static_assert(offsetof(earshot_frame, reserved) == 84, "earshot_frame.reserved");

static int failed_checks;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            failed_checks++; \
        } \
    } while (0)

#define CHECK_STATUS(expected, call) \
    do { \
        earshot_status status_ = (call); \
        if (status_ != (expected)) { \
            printf("%s:%d: %s\n    is %d (%s), not %s\n", __FILE__, __LINE__, #call, status_, \
                earshot_status_text(status_), #expected); \
            failed_checks++; \
        } \
    } while (0)

// A pointer without the alignment of its type. The compiler cannot notice that.
static void *crooked(void *pointer) {
    char *volatile address = pointer;
    return address + 1;
}

static const uint8_t token[8] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};

// ---- Helpers ----

// xorshift64*: Vigna 2016. Every test prints its seed.
static uint64_t next_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1D;
}

static double uniform(uint64_t *state) { return ((double)(next_random(state) >> 11) + 0.5) * 0x1p-53; }

// Box and Muller.
static double gaussian(uint64_t *state) {
    return sqrt(-2 * log(uniform(state))) * cos(2 * 3.14159265358979 * uniform(state));
}

typedef struct {
    float *samples;
    size_t count;
} Sound;

static Sound silence(size_t count) { return (Sound){calloc(count + 1, sizeof(float)), count}; }

static Sound sound_of(earshot_transmission transmission, const uint8_t *payload, size_t payload_size) {
    Sound sound = {0};
    CHECK_STATUS(EARSHOT_OK, earshot_transmit_sample_count(&transmission, payload_size, &sound.count));
    sound.samples = malloc(sound.count * sizeof(float));
    size_t count = 0;
    CHECK_STATUS(EARSHOT_OK,
        earshot_transmit_float(&transmission, payload, payload_size, sound.samples, sound.count, &count));
    CHECK(count == sound.count);
    return sound;
}

// Adds `added` at a sample of `sound`.
static void mix(Sound sound, Sound added, size_t first) {
    for (size_t i = 0; i < added.count && first + i < sound.count; i++) {
        sound.samples[first + i] += added.samples[i];
    }
}

// Adds white noise: `snr_decibels` is the power of a sine of amplitude `peak` over the noise in 1,500 Hz.
static void add_noise(Sound sound, double rate, double peak, double snr_decibels, uint64_t seed) {
    double deviation = sqrt(peak * peak / 2 / pow(10, snr_decibels / 10) * rate / 2 / 1500);
    for (size_t i = 0; i < sound.count; i++) {
        sound.samples[i] += (float)(deviation * gaussian(&seed));
    }
}

static earshot_receiver_options options_at(uint32_t rate) {
    return (earshot_receiver_options){.size = sizeof(earshot_receiver_options), .sample_rate_hertz = rate};
}

static earshot_transmission transmission_at(uint32_t rate) {
    return (earshot_transmission){.size = sizeof(earshot_transmission), .sample_rate_hertz = rate};
}

static earshot_receiver *receiver_with(earshot_receiver_options options) {
    earshot_receiver *receiver = NULL;
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_create(&options, &receiver));
    CHECK(receiver != NULL);
    return receiver;
}

typedef struct {
    earshot_frame frames[64];
    size_t count;
} Heard;

static void poll_all(earshot_receiver *receiver, Heard *heard) {
    earshot_frame frame;
    earshot_status status;
    while ((status = earshot_receiver_poll(receiver, &frame, sizeof frame)) == EARSHOT_OK) {
        CHECK(heard->count < 64);
        if (heard->count < 64) heard->frames[heard->count++] = frame;
    }
    CHECK(status == EARSHOT_NO_FRAME);
}

// Pushes all in blocks of random sizes up to `largest`, or in one if it is 0; then flushes.
static Heard hear(earshot_receiver_options options, Sound sound, size_t largest, uint64_t seed) {
    Heard heard = {0};
    earshot_receiver *receiver = receiver_with(options);
    size_t channels = options.channel_count ? options.channel_count : 1;
    size_t whole = sound.count / channels;
    for (size_t done = 0; done < whole;) {
        size_t block = largest ? next_random(&seed) % (largest + 1) : whole;
        if (block > whole - done) block = whole - done;
        CHECK_STATUS(EARSHOT_OK, earshot_receiver_push_float(receiver, sound.samples + channels * done, block));
        poll_all(receiver, &heard);
        done += block;
    }
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_flush(receiver));
    poll_all(receiver, &heard);
    earshot_receiver_destroy(receiver);
    return heard;
}

static bool is_token(const earshot_frame *frame) {
    return frame->payload_size == sizeof token && memcmp(frame->payload, token, sizeof token) == 0;
}

// ---- Texts ----

static void version_is_the_header_s(void) { CHECK(strcmp(earshot_version(), EARSHOT_VERSION) == 0); }

static void every_status_has_a_text_of_its_own(void) {
    const char *unknown = earshot_status_text(2);
    for (int a = EARSHOT_ERROR_DROPPED; a <= EARSHOT_NO_FRAME; a++) {
        CHECK(strlen(earshot_status_text(a)) > 5 && strcmp(earshot_status_text(a), unknown) != 0);
        for (int b = EARSHOT_ERROR_DROPPED; b < a; b++) {
            CHECK(strcmp(earshot_status_text(a), earshot_status_text(b)) != 0);
        }
    }
    const int strange[] = {2, EARSHOT_ERROR_DROPPED - 1, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 4; i++) {
        CHECK(strcmp(earshot_status_text(strange[i]), unknown) == 0);
    }
}

static void profiles_have_names(void) {
    CHECK(strcmp(earshot_profile_name(EARSHOT_FAST), "fast") == 0);
    CHECK(strcmp(earshot_profile_name(EARSHOT_STANDARD), "standard") == 0);
    CHECK(strcmp(earshot_profile_name(EARSHOT_FAR), "far") == 0);
    const uint32_t none[] = {0, 3, EARSHOT_ALL_PROFILES, 8, UINT32_MAX};
    for (int i = 0; i < 5; i++) {
        CHECK(earshot_profile_name(none[i]) == NULL);
    }
}

// ---- Making receivers ----

// Changes one option of good ones.
#define CHECK_OPTION(expected, field, value) \
    do { \
        earshot_receiver_options options_ = options_at(48000); \
        options_.field = (value); \
        earshot_receiver *made_ = (earshot_receiver *)(void *)&options_; \
        CHECK_STATUS(expected, earshot_receiver_create(&options_, &made_)); \
        CHECK((made_ != NULL) == ((expected) == EARSHOT_OK)); \
        earshot_receiver_destroy(made_); \
    } while (0)

static void options_are_checked(void) {
    CHECK_OPTION(EARSHOT_ERROR_STRUCT_SIZE, size, 0);
    CHECK_OPTION(EARSHOT_ERROR_STRUCT_SIZE, size, sizeof(earshot_receiver_options) - 1);
    CHECK_OPTION(EARSHOT_ERROR_STRUCT_SIZE, size, sizeof(earshot_receiver_options) + 8);
    CHECK_OPTION(EARSHOT_ERROR_STRUCT_SIZE, size, SIZE_MAX);
    CHECK_OPTION(EARSHOT_ERROR_RATE, sample_rate_hertz, 0);
    CHECK_OPTION(EARSHOT_ERROR_RATE, sample_rate_hertz, EARSHOT_MINIMUM_RATE - 1);
    CHECK_OPTION(EARSHOT_OK, sample_rate_hertz, EARSHOT_MINIMUM_RATE);
    CHECK_OPTION(EARSHOT_OK, sample_rate_hertz, 44101);
    CHECK_OPTION(EARSHOT_OK, sample_rate_hertz, EARSHOT_MAXIMUM_RATE);
    CHECK_OPTION(EARSHOT_ERROR_RATE, sample_rate_hertz, EARSHOT_MAXIMUM_RATE + 1);
    CHECK_OPTION(EARSHOT_ERROR_RATE, sample_rate_hertz, UINT32_MAX);
    CHECK_OPTION(EARSHOT_OK, profiles, EARSHOT_FAR);
    CHECK_OPTION(EARSHOT_OK, profiles, EARSHOT_FAST | EARSHOT_FAR);
    CHECK_OPTION(EARSHOT_ERROR_PROFILE, profiles, 8);
    CHECK_OPTION(EARSHOT_ERROR_PROFILE, profiles, EARSHOT_FAST | 8);
    CHECK_OPTION(EARSHOT_ERROR_PROFILE, profiles, UINT32_MAX);
    CHECK_OPTION(EARSHOT_OK, channel_count, 1);
    CHECK_OPTION(EARSHOT_OK, channel_count, EARSHOT_MAXIMUM_CHANNELS);
    CHECK_OPTION(EARSHOT_ERROR_CHANNELS, channel_count, EARSHOT_MAXIMUM_CHANNELS + 1);
    CHECK_OPTION(EARSHOT_ERROR_CHANNELS, channel_count, UINT32_MAX);
    CHECK_OPTION(EARSHOT_OK, combine_count, 1);
    CHECK_OPTION(EARSHOT_OK, combine_count, EARSHOT_MAXIMUM_BURST);
    CHECK_OPTION(EARSHOT_ERROR_BURST, combine_count, EARSHOT_MAXIMUM_BURST + 1);
    CHECK_OPTION(EARSHOT_ERROR_BURST, combine_count, UINT32_MAX);
    CHECK_OPTION(EARSHOT_OK, flags, EARSHOT_SEPARATE_CHANNELS | EARSHOT_RECOGNISE_TOKENS);
    CHECK_OPTION(EARSHOT_ERROR_FLAGS, flags, 4);
    CHECK_OPTION(EARSHOT_ERROR_FLAGS, flags, UINT32_MAX);
    CHECK_OPTION(EARSHOT_ERROR_FLAGS, reserved, 1);
}

static void pointers_to_options_are_checked(void) {
    earshot_receiver_options options[2] = {options_at(48000)};
    earshot_receiver *receivers[2];
    earshot_receiver *receiver = (earshot_receiver *)(void *)options;
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_receiver_create(NULL, &receiver));
    CHECK(receiver == NULL);
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_receiver_create(options, NULL));
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_receiver_create(NULL, NULL));
    CHECK_STATUS(EARSHOT_ERROR_ALIGNMENT, earshot_receiver_create(crooked(options), &receiver));
    CHECK_STATUS(EARSHOT_ERROR_ALIGNMENT, earshot_receiver_create(options, crooked(receivers)));
    earshot_receiver_destroy(NULL);
}

static void a_thousand_receivers_leave_no_memory_behind(void) {
    size_t before = 0;
    for (int i = 0; i < 1000; i++) {
        // The first receivers fill memory that the library shares among all.
        if (i == 10) before = mallinfo2().uordblks;
        earshot_receiver_options options = options_at(48000);
        options.profiles = EARSHOT_FAST;
        earshot_receiver *receiver = receiver_with(options);
        Heard heard = {0};
        float samples[480] = {0.5f};
        CHECK_STATUS(EARSHOT_OK, earshot_receiver_push_float(receiver, samples, 480));
        poll_all(receiver, &heard);
        earshot_receiver_destroy(receiver);
    }
    // One receiver takes more than 1 MB, so even one leak in a hundred receivers is far above this.
    size_t left = mallinfo2().uordblks - before;
    if ((ptrdiff_t)left > 100000) printf("%zu bytes left behind\n", left);
    CHECK((ptrdiff_t)left <= 100000);
}

// ---- Input ----

static void every_profile_and_rate_is_heard(void) {
    const uint32_t rates[] = {44100, 48000, 96000, 192000};
    const uint32_t profiles[] = {EARSHOT_FAST, EARSHOT_STANDARD, EARSHOT_FAR};
    for (int r = 0; r < 4; r++) {
        for (int p = 0; p < 3; p++) {
            earshot_transmission transmission = transmission_at(rates[r]);
            transmission.profile = profiles[p];
            Sound frame = sound_of(transmission, token, sizeof token);
            size_t start = rates[r] / 10;
            Sound sound = silence(start + frame.count + rates[r] / 10);
            mix(sound, frame, start);
            Heard heard = hear(options_at(rates[r]), sound, 0, 1);
            CHECK(heard.count == 1);
            earshot_frame first = heard.frames[0];
            CHECK(is_token(&first));
            CHECK(first.profile == profiles[p]);
            // A millisecond: the receiver measures time to a fraction of a symbol of 10 to 43 ms.
            CHECK(llabs(first.start_sample - (int64_t)start) <= rates[r] / 1000);
            CHECK(llabs(first.end_sample - (int64_t)(start + frame.count)) <= rates[r] / 1000);
            CHECK(fabs(first.offset_hertz) < 1 && first.snr_decibels > 40 && first.path_metric > 3);
            CHECK(first.channel == 0 && first.combined_count == 1 && first.is_recognised == 0 && first.reserved == 0);
            free(frame.samples);
            free(sound.samples);
        }
    }
}

static void payloads_of_all_sizes_are_heard(void) {
    uint8_t payload[EARSHOT_MAXIMUM_PAYLOAD];
    uint64_t random = 3;
    for (size_t size = 1; size <= EARSHOT_MAXIMUM_PAYLOAD; size++) {
        for (size_t i = 0; i < size; i++) payload[i] = (uint8_t)(next_random(&random) >> 40);
        earshot_transmission transmission = transmission_at(48000);
        transmission.profile = EARSHOT_FAST;
        Sound sound = sound_of(transmission, payload, size);
        Heard heard = hear(options_at(48000), sound, 0, 1);
        CHECK(heard.count == 1 && heard.frames[0].payload_size == size);
        CHECK(memcmp(heard.frames[0].payload, payload, size) == 0);
        for (size_t i = size; i < 32; i++) CHECK(heard.frames[0].payload[i] == 0);
        free(sound.samples);
    }
}

static Sound noisy_frames(void) {
    Sound sound = silence(48000 * 6);
    for (uint32_t profile = EARSHOT_FAST; profile <= EARSHOT_FAR; profile *= 2) {
        earshot_transmission transmission = transmission_at(48000);
        transmission.profile = profile;
        Sound frame = sound_of(transmission, token, sizeof token);
        mix(sound, frame, 48000 * profile / 2);
        free(frame.samples);
    }
    add_noise(sound, 48000, 0.25, 6, 5);
    return sound;
}

static void any_split_gives_the_same_frames(void) {
    Sound sound = noisy_frames();
    Heard whole = hear(options_at(48000), sound, 0, 1);
    CHECK(whole.count == 3);
    const size_t largest[] = {20, 480, 4096, 50000};
    for (int i = 0; i < 4; i++) {
        Heard split = hear(options_at(48000), sound, largest[i], 7 + (uint64_t)i);
        CHECK(split.count == whole.count);
        CHECK(memcmp(split.frames, whole.frames, whole.count * sizeof(earshot_frame)) == 0);
    }
    free(sound.samples);
}

static void integers_are_heard_as_floats_are(void) {
    Sound sound = noisy_frames();
    int16_t *integers = malloc(sound.count * sizeof(int16_t));
    for (size_t i = 0; i < sound.count; i++) {
        double scaled = sound.samples[i] * 32768.0;
        integers[i] = (int16_t)(scaled > 32767 ? 32767 : scaled < -32768 ? -32768 : lrint(scaled));
        sound.samples[i] = (float)integers[i] / 32768;
    }
    Heard floats = hear(options_at(48000), sound, 0, 1), heard = {0};
    CHECK(floats.count == 3);
    earshot_receiver *receiver = receiver_with(options_at(48000));
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_push_int16(receiver, integers, 100001));
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_push_int16(receiver, integers + 100001, sound.count - 100001));
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_flush(receiver));
    poll_all(receiver, &heard);
    earshot_receiver_destroy(receiver);
    CHECK(heard.count == floats.count);
    CHECK(memcmp(heard.frames, floats.frames, floats.count * sizeof(earshot_frame)) == 0);
    free(integers);
    free(sound.samples);
}

static void profiles_that_were_not_chosen_are_not_heard(void) {
    Sound sound = noisy_frames();
    earshot_receiver_options options = options_at(48000);
    options.profiles = EARSHOT_FAST | EARSHOT_FAR;
    Heard heard = hear(options, sound, 0, 1);
    CHECK(heard.count == 2 && heard.frames[0].profile == EARSHOT_FAST && heard.frames[1].profile == EARSHOT_FAR);
    free(sound.samples);
}

static void strange_samples_do_no_harm(void) {
    Sound sound = silence(48000 * 22);
    for (int kind = 0; kind < 6; kind++) {
        uint64_t random = 11;
        for (size_t i = 0; i < sound.count; i++) {
            uint32_t bits = (uint32_t)(next_random(&random) >> 32);
            float any;
            memcpy(&any, &bits, sizeof any);
            const float strange[] = {
                NAN, INFINITY, i % 2 ? 3e38f : -3e38f, 1e-42f, any, i % 3 ? NAN : i % 2 ? INFINITY : -INFINITY,
            };
            sound.samples[i] = strange[kind];
        }
        Heard heard = hear(options_at(48000), sound, 5000, 13);
        CHECK(heard.count == 0);
        // Half a second of it, and 20 s later a token: noise 40 dB above full scale deafens the receiver for 8 to 16 s.
        Sound frame = sound_of(transmission_at(48000), token, sizeof token);
        memset(sound.samples + 24000, 0, (sound.count - 24000) * sizeof(float));
        mix(sound, frame, 24000 + 48000 * 20);
        heard = hear(options_at(48000), sound, 5000, 17);
        CHECK(heard.count == 1 && is_token(&heard.frames[0]));
        free(frame.samples);
    }
    free(sound.samples);
}

static void channels_are_heard_together_or_apart(void) {
    Sound frame = sound_of(transmission_at(48000), token, sizeof token);
    for (uint32_t channels = 2; channels <= 12; channels += 5) {
        // Channel 1 is the loudest. If there are several channels, the last one is silent.
        Sound sound = silence(channels * (frame.count + 9600));
        for (size_t i = 0; i < frame.count; i++) {
            for (uint32_t c = 0; c + 1 < channels || c == 1; c++) {
                sound.samples[channels * (4800 + i) + c] = frame.samples[i] * (c == 1 ? 1 : 0.5f);
            }
        }
        add_noise(sound, 48000, 0.25, 30, 19);
        earshot_receiver_options options = options_at(48000);
        options.channel_count = channels;
        Heard together = hear(options, sound, 5000, 23);
        options.flags = EARSHOT_SEPARATE_CHANNELS;
        Heard apart = hear(options, sound, 5000, 29);
        uint32_t loud = channels == 2 ? 2 : channels - 1;
        CHECK(together.count == (channels <= 8 ? 1 : loud));
        if (channels <= 8) CHECK(together.frames[0].channel == 1);
        CHECK(apart.count == loud);
        for (size_t i = 0; i < apart.count; i++) {
            CHECK(is_token(&apart.frames[i]) && apart.frames[i].channel < channels);
            CHECK(llabs(apart.frames[i].start_sample - 4800) <= 48);
        }
        free(sound.samples);
    }
    free(frame.samples);
}

static void a_hole_keeps_the_time(void) {
    Sound frame = sound_of(transmission_at(48000), token, sizeof token);
    const uint64_t holes[] = {0, 1, 4800, 48000ull * 3600 * 24 * 365};
    for (int i = 0; i < 4; i++) {
        earshot_receiver *receiver = receiver_with(options_at(48000));
        Sound quiet = silence(10000);
        Heard heard = {0};
        CHECK_STATUS(EARSHOT_OK, earshot_receiver_push_float(receiver, quiet.samples, quiet.count));
        CHECK_STATUS(EARSHOT_OK, earshot_receiver_skip(receiver, holes[i]));
        CHECK_STATUS(EARSHOT_OK, earshot_receiver_push_float(receiver, quiet.samples, quiet.count));
        CHECK_STATUS(EARSHOT_OK, earshot_receiver_push_float(receiver, frame.samples, frame.count));
        CHECK_STATUS(EARSHOT_OK, earshot_receiver_flush(receiver));
        poll_all(receiver, &heard);
        CHECK(heard.count == 1 && is_token(&heard.frames[0]));
        CHECK(llabs(heard.frames[0].start_sample - (int64_t)(20000 + holes[i])) <= 48);
        earshot_receiver_destroy(receiver);
        free(quiet.samples);
    }
    free(frame.samples);
}

static void time_stops_instead_of_overflowing(void) {
    Sound frame = sound_of(transmission_at(48000), token, sizeof token);
    earshot_receiver *receiver = receiver_with(options_at(48000));
    Heard heard = {0};
    for (int i = 0; i < 5; i++) {
        CHECK_STATUS(EARSHOT_OK, earshot_receiver_skip(receiver, i % 2 ? UINT64_MAX / 2 : UINT64_MAX));
        CHECK_STATUS(EARSHOT_OK, earshot_receiver_push_float(receiver, frame.samples, frame.count));
    }
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_flush(receiver));
    poll_all(receiver, &heard);
    CHECK(heard.count == 5);
    for (size_t i = 0; i < heard.count; i++) {
        CHECK(is_token(&heard.frames[i]) && heard.frames[i].start_sample < heard.frames[i].end_sample);
    }
    earshot_receiver_destroy(receiver);
    free(frame.samples);
}

static void input_after_the_end_is_refused(void) {
    Sound frame = sound_of(transmission_at(48000), token, sizeof token);
    earshot_receiver *receiver = receiver_with(options_at(48000));
    int16_t integers[2] = {0};
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_push_float(receiver, frame.samples, frame.count));
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_flush(receiver));
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_flush(receiver));
    CHECK_STATUS(EARSHOT_ERROR_FLUSHED, earshot_receiver_push_float(receiver, frame.samples, frame.count));
    CHECK_STATUS(EARSHOT_ERROR_FLUSHED, earshot_receiver_push_float(receiver, NULL, 0));
    CHECK_STATUS(EARSHOT_ERROR_FLUSHED, earshot_receiver_push_int16(receiver, integers, 2));
    CHECK_STATUS(EARSHOT_ERROR_FLUSHED, earshot_receiver_skip(receiver, 1));
    Heard heard = {0};
    poll_all(receiver, &heard);
    CHECK(heard.count == 1);
    earshot_receiver_destroy(receiver);
    free(frame.samples);
}

static void input_is_checked(void) {
    earshot_receiver *receiver = receiver_with(options_at(48000));
    float floats[2] = {0};
    int16_t integers[2] = {0};
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_receiver_push_float(NULL, floats, 1));
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_receiver_push_int16(NULL, integers, 1));
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_receiver_skip(NULL, 1));
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_receiver_flush(NULL));
    CHECK_STATUS(EARSHOT_ERROR_ALIGNMENT, earshot_receiver_push_float(crooked(receiver), floats, 1));
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_receiver_push_float(receiver, NULL, 1));
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_receiver_push_int16(receiver, NULL, 1));
    CHECK_STATUS(EARSHOT_ERROR_ALIGNMENT, earshot_receiver_push_float(receiver, crooked(floats), 1));
    CHECK_STATUS(EARSHOT_ERROR_ALIGNMENT, earshot_receiver_push_int16(receiver, crooked(integers), 1));
    const size_t huge[] = {SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 4, SIZE_MAX / 8 + 1};
    for (int i = 0; i < 4; i++) {
        CHECK_STATUS(EARSHOT_ERROR_COUNT, earshot_receiver_push_float(receiver, floats, huge[i]));
    }
    CHECK_STATUS(EARSHOT_ERROR_COUNT, earshot_receiver_push_int16(receiver, integers, SIZE_MAX / 4 + 1));
    // Pushing no samples is not an error.
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_push_float(receiver, NULL, 0));
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_push_int16(receiver, NULL, 0));
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_skip(receiver, 0));
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_push_float(receiver, floats, 2));
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_push_int16(receiver, integers, 2));
    earshot_receiver_destroy(receiver);
}

static void polling_is_checked(void) {
    earshot_receiver *receiver = receiver_with(options_at(48000));
    earshot_frame frame[2], before;
    memset(frame, 0x5a, sizeof frame);
    before = frame[0];
    CHECK_STATUS(EARSHOT_NO_FRAME, earshot_receiver_poll(receiver, frame, sizeof *frame));
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_receiver_poll(NULL, frame, sizeof *frame));
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_receiver_poll(receiver, NULL, sizeof *frame));
    CHECK_STATUS(EARSHOT_ERROR_ALIGNMENT, earshot_receiver_poll(receiver, crooked(frame), sizeof *frame));
    const size_t sizes[] = {0, sizeof *frame - 1, sizeof *frame + 1, SIZE_MAX};
    for (int i = 0; i < 4; i++) {
        CHECK_STATUS(EARSHOT_ERROR_STRUCT_SIZE, earshot_receiver_poll(receiver, frame, sizes[i]));
    }
    CHECK(memcmp(frame, &before, sizeof before) == 0);
    earshot_receiver_destroy(receiver);
}

static void frames_that_nobody_polls_are_bounded(void) {
    earshot_receiver_options options = options_at(48000);
    options.channel_count = EARSHOT_MAXIMUM_CHANNELS;
    options.profiles = EARSHOT_FAST;
    earshot_receiver *receiver = receiver_with(options);
    earshot_transmission transmission = transmission_at(48000);
    transmission.profile = EARSHOT_FAST;
    earshot_status status = EARSHOT_OK;
    int pushes = 0;
    for (; status == EARSHOT_OK && pushes < 300; pushes++) {
        // Every push has another token, in all channels.
        uint8_t payload[8] = {0xa5, (uint8_t)(pushes >> 8), (uint8_t)pushes};
        Sound frame = sound_of(transmission, payload, sizeof payload);
        Sound sound = silence(EARSHOT_MAXIMUM_CHANNELS * (frame.count + 4800));
        for (size_t i = 0; i < frame.count * EARSHOT_MAXIMUM_CHANNELS; i++) {
            sound.samples[i] = frame.samples[i / EARSHOT_MAXIMUM_CHANNELS];
        }
        status = earshot_receiver_push_float(receiver, sound.samples, frame.count + 4800);
        free(frame.samples);
        free(sound.samples);
    }
    CHECK_STATUS(EARSHOT_ERROR_DROPPED, status);
    CHECK(pushes == EARSHOT_MAXIMUM_WAITING / EARSHOT_MAXIMUM_CHANNELS + 1);
    int polled = 0, after_flush = 0;
    earshot_frame frame;
    // Each poll makes room for exactly one frame.
    for (; polled < 10 && earshot_receiver_poll(receiver, &frame, sizeof frame) == EARSHOT_OK; polled++) {
        CHECK(frame.payload[2] == 0);
    }
    for (; earshot_receiver_poll(receiver, &frame, sizeof frame) == EARSHOT_OK; polled++) {
    }
    CHECK(polled == EARSHOT_MAXIMUM_WAITING);
    // The receiver still works.
    Sound last = sound_of(transmission, token, sizeof token);
    Sound sound = silence(EARSHOT_MAXIMUM_CHANNELS * last.count);
    for (size_t i = 0; i < last.count; i++) sound.samples[i * EARSHOT_MAXIMUM_CHANNELS + 63] = last.samples[i];
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_push_float(receiver, sound.samples, last.count));
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_flush(receiver));
    while (earshot_receiver_poll(receiver, &frame, sizeof frame) == EARSHOT_OK) {
        if (is_token(&frame)) {
            after_flush++;
            CHECK(frame.channel == 63);
        }
    }
    CHECK(after_flush == 1);
    earshot_receiver_destroy(receiver);
    free(last.samples);
    free(sound.samples);
}

static void bursts_are_combined_on_request(void) {
    // -12 dB is 2.6 dB below the SNR at which nine of ten single tokens decode, and above the SNR that four combined
    // tokens need.
    earshot_transmission transmission = transmission_at(48000);
    transmission.burst_count = 4;
    int combined = 0, plain = 0;
    for (uint64_t seed = 31; seed < 41; seed++) {
        Sound burst = sound_of(transmission, token, sizeof token);
        Sound sound = silence(burst.count + 48000);
        mix(sound, burst, 24000);
        add_noise(sound, 48000, 0.25, -12, seed);
        earshot_receiver_options options = options_at(48000);
        Heard heard = hear(options, sound, 0, 1);
        for (size_t i = 0; i < heard.count; i++) plain += heard.frames[i].combined_count > 1;
        options.combine_count = 4;
        heard = hear(options, sound, 0, 1);
        for (size_t i = 0; i < heard.count; i++) {
            CHECK(is_token(&heard.frames[i]));
            combined += heard.frames[i].combined_count > 1;
        }
        free(burst.samples);
        free(sound.samples);
    }
    CHECK(plain == 0);
    printf("%d of 10 bursts were combined\n", combined);
    CHECK(combined >= 5);
}

static void known_tokens_are_recognised_on_request(void) {
    // One clear token, then one a second and a half at -11.5 dB, where about one in six decodes.
    Sound frame = sound_of(transmission_at(48000), token, sizeof token);
    Sound sound = silence(48000 * 32);
    for (size_t i = 0; i < 20; i++) mix(sound, frame, 48000 + i * 72000);
    add_noise(sound, 48000, 0.25, -11.5, 43);
    mix(sound, frame, 48000);
    for (size_t i = 0; i < frame.count; i++) sound.samples[48000 + i] *= 20;
    earshot_receiver_options options = options_at(48000);
    Heard plain = hear(options, sound, 0, 1);
    options.flags = EARSHOT_RECOGNISE_TOKENS;
    Heard heard = hear(options, sound, 0, 1);
    size_t recognised = 0;
    for (size_t i = 0; i < plain.count; i++) CHECK(plain.frames[i].is_recognised == 0);
    for (size_t i = 0; i < heard.count; i++) {
        CHECK(is_token(&heard.frames[i]) && heard.frames[i].is_recognised <= 1);
        recognised += heard.frames[i].is_recognised;
    }
    printf("%zu of 20 tokens were decoded; with recognition %zu were reported\n", plain.count, heard.count);
    CHECK(recognised > 0 && heard.count > plain.count);
    free(frame.samples);
    free(sound.samples);
}

// ---- Transmitting ----

#define CHECK_TRANSMISSION(expected, field, value) \
    do { \
        earshot_transmission transmission_ = transmission_at(44100); \
        transmission_.field = (value); \
        size_t count_ = 7; \
        CHECK_STATUS(expected, earshot_transmit_sample_count(&transmission_, 8, &count_)); \
        CHECK((count_ > 20000) == ((expected) == EARSHOT_OK) && (count_ == 0) == ((expected) != EARSHOT_OK)); \
        static float samples_[16000000]; \
        size_t written_ = 7; \
        CHECK_STATUS(expected, \
            earshot_transmit_float( \
                &transmission_, token, 8, samples_, sizeof samples_ / sizeof *samples_, &written_)); \
        CHECK(written_ == count_); \
    } while (0)

static void transmissions_are_checked(void) {
    CHECK_TRANSMISSION(EARSHOT_ERROR_STRUCT_SIZE, size, 0);
    CHECK_TRANSMISSION(EARSHOT_ERROR_STRUCT_SIZE, size, sizeof(earshot_transmission) - 4);
    CHECK_TRANSMISSION(EARSHOT_ERROR_STRUCT_SIZE, size, SIZE_MAX);
    CHECK_TRANSMISSION(EARSHOT_ERROR_RATE, sample_rate_hertz, 0);
    CHECK_TRANSMISSION(EARSHOT_ERROR_RATE, sample_rate_hertz, EARSHOT_MINIMUM_RATE - 1);
    CHECK_TRANSMISSION(EARSHOT_OK, sample_rate_hertz, EARSHOT_MAXIMUM_RATE);
    CHECK_TRANSMISSION(EARSHOT_ERROR_RATE, sample_rate_hertz, UINT32_MAX);
    CHECK_TRANSMISSION(EARSHOT_OK, profile, EARSHOT_FAST);
    CHECK_TRANSMISSION(EARSHOT_ERROR_PROFILE, profile, EARSHOT_FAST | EARSHOT_FAR);
    CHECK_TRANSMISSION(EARSHOT_ERROR_PROFILE, profile, 8);
    CHECK_TRANSMISSION(EARSHOT_ERROR_PROFILE, profile, UINT32_MAX);
    CHECK_TRANSMISSION(EARSHOT_OK, burst_count, 1);
    CHECK_TRANSMISSION(EARSHOT_OK, burst_count, EARSHOT_MAXIMUM_BURST);
    CHECK_TRANSMISSION(EARSHOT_ERROR_BURST, burst_count, EARSHOT_MAXIMUM_BURST + 1);
    CHECK_TRANSMISSION(EARSHOT_ERROR_BURST, burst_count, UINT32_MAX);
    CHECK_TRANSMISSION(EARSHOT_OK, amplitude, 1);
    CHECK_TRANSMISSION(EARSHOT_OK, amplitude, 1e-40f);
    CHECK_TRANSMISSION(EARSHOT_ERROR_AMPLITUDE, amplitude, 1.0001f);
    CHECK_TRANSMISSION(EARSHOT_ERROR_AMPLITUDE, amplitude, -0.1f);
    CHECK_TRANSMISSION(EARSHOT_ERROR_AMPLITUDE, amplitude, NAN);
    CHECK_TRANSMISSION(EARSHOT_ERROR_AMPLITUDE, amplitude, INFINITY);
}

static void payloads_are_checked(void) {
    earshot_transmission transmission = transmission_at(48000), burst = transmission;
    burst.burst_count = 2;
    float samples[8];
    size_t count = 7;
    const size_t sizes[] = {0, EARSHOT_MAXIMUM_PAYLOAD + 1, SIZE_MAX, SIZE_MAX / 2 + 1};
    for (int i = 0; i < 4; i++) {
        CHECK_STATUS(EARSHOT_ERROR_PAYLOAD, earshot_transmit_sample_count(&transmission, sizes[i], &count));
        CHECK(count == 0);
        CHECK_STATUS(EARSHOT_ERROR_PAYLOAD, earshot_transmit_float(&transmission, token, sizes[i], samples, 8, &count));
        CHECK_STATUS(EARSHOT_ERROR_PAYLOAD, earshot_transmit_float(&transmission, NULL, sizes[i], samples, 8, NULL));
    }
    CHECK_STATUS(EARSHOT_ERROR_BURST, earshot_transmit_sample_count(&burst, 7, &count));
    CHECK_STATUS(EARSHOT_ERROR_BURST, earshot_transmit_float(&burst, token, 7, samples, 8, &count));
}

static void pointers_of_transmissions_are_checked(void) {
    earshot_transmission transmission[2] = {transmission_at(48000)};
    static float samples[60000];
    static int16_t integers[60000];
    size_t counts[2];
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_transmit_sample_count(NULL, 8, counts));
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_transmit_sample_count(transmission, 8, NULL));
    CHECK_STATUS(EARSHOT_ERROR_ALIGNMENT, earshot_transmit_sample_count(crooked(transmission), 8, counts));
    CHECK_STATUS(EARSHOT_ERROR_ALIGNMENT, earshot_transmit_sample_count(transmission, 8, crooked(counts)));
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_transmit_float(NULL, token, 8, samples, 60000, counts));
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_transmit_float(transmission, NULL, 8, samples, 60000, counts));
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_transmit_float(transmission, token, 8, NULL, 60000, counts));
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_transmit_float(transmission, token, 8, NULL, 0, counts));
    CHECK_STATUS(
        EARSHOT_ERROR_ALIGNMENT, earshot_transmit_float(crooked(transmission), token, 8, samples, 60000, NULL));
    CHECK_STATUS(
        EARSHOT_ERROR_ALIGNMENT, earshot_transmit_float(transmission, token, 8, crooked(samples), 50000, NULL));
    CHECK_STATUS(
        EARSHOT_ERROR_ALIGNMENT, earshot_transmit_float(transmission, token, 8, samples, 60000, crooked(counts)));
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_transmit_int16(NULL, token, 8, integers, 60000, counts));
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_transmit_int16(transmission, NULL, 8, integers, 60000, counts));
    CHECK_STATUS(EARSHOT_ERROR_NULL, earshot_transmit_int16(transmission, token, 8, NULL, 60000, counts));
    CHECK_STATUS(
        EARSHOT_ERROR_ALIGNMENT, earshot_transmit_int16(transmission, token, 8, crooked(integers), 60000, counts));
    CHECK(counts[0] == 0);
    // The count is optional.
    CHECK_STATUS(EARSHOT_OK, earshot_transmit_float(transmission, token, 8, samples, 60000, NULL));
    // A payload may have any alignment.
    uint8_t bytes[9];
    memcpy(bytes + 1, token, 8);
    CHECK_STATUS(EARSHOT_OK, earshot_transmit_int16(transmission, bytes + 1, 8, integers, 60000, counts));
}

static void buffers_are_not_overrun(void) {
    earshot_transmission transmission = transmission_at(48000);
    static float samples[60000];
    static int16_t integers[60000];
    size_t needed = 0, count = 7;
    CHECK_STATUS(EARSHOT_OK, earshot_transmit_sample_count(&transmission, 8, &needed));
    CHECK(needed > 53200 && needed < 53300);  // 52 tones of 21.333 ms
    const size_t small[] = {0, 1, needed - 1};
    for (int i = 0; i < 3; i++) {
        samples[0] = 7;
        integers[0] = 7;
        CHECK_STATUS(
            EARSHOT_ERROR_CAPACITY, earshot_transmit_float(&transmission, token, 8, samples, small[i], &count));
        CHECK(count == needed && samples[0] == 7);
        CHECK_STATUS(
            EARSHOT_ERROR_CAPACITY, earshot_transmit_int16(&transmission, token, 8, integers, small[i], &count));
        CHECK(count == needed && integers[0] == 7);
    }
    const size_t large[] = {needed, needed + 1, SIZE_MAX};
    for (int i = 0; i < 3; i++) {
        samples[needed] = 7;
        integers[needed] = 7;
        CHECK_STATUS(EARSHOT_OK, earshot_transmit_float(&transmission, token, 8, samples, large[i], &count));
        CHECK(count == needed && samples[needed] == 7);
        CHECK_STATUS(EARSHOT_OK, earshot_transmit_int16(&transmission, token, 8, integers, large[i], &count));
        CHECK(count == needed && integers[needed] == 7);
    }
}

static void amplitude_is_the_peak(void) {
    const float amplitudes[] = {0, 0.1f, 1};
    for (int a = 0; a < 3; a++) {
        earshot_transmission transmission = transmission_at(48000);
        transmission.amplitude = amplitudes[a];
        Sound sound = sound_of(transmission, token, sizeof token);
        int16_t *integers = malloc(sound.count * sizeof(int16_t));
        CHECK_STATUS(EARSHOT_OK, earshot_transmit_int16(&transmission, token, 8, integers, sound.count, NULL));
        float peak = 0;
        for (size_t i = 0; i < sound.count; i++) {
            peak = fmaxf(peak, fabsf(sound.samples[i]));
            double scaled = rint(sound.samples[i] * 32768.0);
            CHECK(integers[i] == (scaled > 32767 ? 32767 : scaled));
        }
        float expected = amplitudes[a] == 0 ? 0.25f : amplitudes[a];
        CHECK(peak <= expected && peak > 0.999f * expected);
        free(integers);
        free(sound.samples);
    }
}

// ---- Threads ----

typedef struct {
    earshot_receiver *receiver;
    Sound sound;
    int busy, fine, other;
} Shared;

static void *push_often(void *argument) {
    Shared *shared = argument;
    for (size_t first = 0; first + 4800 <= shared->sound.count; first += 4800) {
        earshot_status status =
            earshot_receiver_push_float(shared->receiver, shared->sound.samples + first, 4800);
        if (status == EARSHOT_OK) shared->fine++;
        else if (status == EARSHOT_ERROR_BUSY) shared->busy++;
        else shared->other++;
    }
    return NULL;
}

static void two_calls_at_once_are_refused(void) {
    Sound sound = noisy_frames();
    earshot_receiver *receiver = receiver_with(options_at(48000));
    int busy = 0, fine = 0;
    // Repeat until it has happened, because that depends on the scheduler.
    for (int round = 0; round < 1000 && busy == 0; round++) {
        Shared shared[2] = {{receiver, sound, 0, 0, 0}, {receiver, sound, 0, 0, 0}};
        pthread_t threads[2];
        for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, push_often, &shared[i]);
        for (int i = 0; i < 2; i++) {
            pthread_join(threads[i], NULL);
            busy += shared[i].busy;
            fine += shared[i].fine;
            CHECK(shared[i].other == 0);
        }
    }
    CHECK(busy > 0 && fine > 0);
    // The receiver is free again.
    CHECK_STATUS(EARSHOT_OK, earshot_receiver_push_float(receiver, sound.samples, 4800));
    earshot_receiver_destroy(receiver);
    free(sound.samples);
}

static void *hear_all(void *argument) {
    Heard *heard = malloc(sizeof *heard);
    *heard = hear(options_at(48000), *(Sound *)argument, 1000, 47);
    return heard;
}

static void receivers_of_two_threads_are_independent(void) {
    Sound sound = noisy_frames();
    Heard alone = hear(options_at(48000), sound, 1000, 47);
    CHECK(alone.count == 3);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, hear_all, &sound);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        Heard *heard = result;
        CHECK(heard->count == alone.count);
        CHECK(memcmp(heard->frames, alone.frames, alone.count * sizeof(earshot_frame)) == 0);
        free(heard);
    }
    free(sound.samples);
}

// ---- All ----

typedef struct {
    const char *name;
    void (*run)(void);
} Test;

#define TEST(function) {#function, function}

int main(void) {
    const Test tests[] = {
        TEST(version_is_the_header_s),
        TEST(every_status_has_a_text_of_its_own),
        TEST(profiles_have_names),
        TEST(options_are_checked),
        TEST(pointers_to_options_are_checked),
        TEST(a_thousand_receivers_leave_no_memory_behind),
        TEST(every_profile_and_rate_is_heard),
        TEST(payloads_of_all_sizes_are_heard),
        TEST(any_split_gives_the_same_frames),
        TEST(integers_are_heard_as_floats_are),
        TEST(profiles_that_were_not_chosen_are_not_heard),
        TEST(strange_samples_do_no_harm),
        TEST(channels_are_heard_together_or_apart),
        TEST(a_hole_keeps_the_time),
        TEST(time_stops_instead_of_overflowing),
        TEST(input_after_the_end_is_refused),
        TEST(input_is_checked),
        TEST(polling_is_checked),
        TEST(frames_that_nobody_polls_are_bounded),
        TEST(bursts_are_combined_on_request),
        TEST(known_tokens_are_recognised_on_request),
        TEST(transmissions_are_checked),
        TEST(payloads_are_checked),
        TEST(pointers_of_transmissions_are_checked),
        TEST(buffers_are_not_overrun),
        TEST(amplitude_is_the_peak),
        TEST(two_calls_at_once_are_refused),
        TEST(receivers_of_two_threads_are_independent),
    };
    int passed = 0, failed = 0;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        failed_checks = 0;
        tests[i].run();
        if (failed_checks) printf("failed: %s, %d checks\n", tests[i].name, failed_checks);
        failed_checks ? failed++ : passed++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
