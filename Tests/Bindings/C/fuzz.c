// Calls the functions of earshot.h in random order with random arguments, good and bad, and compares every answer with
// the header's rules. It should run under AddressSanitizer: every buffer has exactly the size that the call may use.
//
//     fuzz SEED CALLS      one run; the same seed makes the same calls
//     fuzz plant FAULT     overflow, overwrite or use-after-destroy: the sanitizer has to report it
#include <earshot.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECEIVER_COUNT = 4, LONGEST_BLOCK = 20000 };

static uint64_t random_state;

// xorshift64*: Vigna 2016.
static uint64_t next_random(void) {
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545F4914F6CDD1D;
}

static size_t below(size_t end) { return (next_random() >> 11) % end; }
static bool once_in(size_t count) { return below(count) == 0; }

static size_t one_of(const size_t *values, size_t count) { return values[below(count)]; }
#define ONE_OF(...) one_of((const size_t[]){__VA_ARGS__}, sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t))

static uint64_t call_count;
static const char *call_name;

static void require(bool condition, const char *what) {
    if (condition) return;
    printf("call %llu, %s: %s\n", (unsigned long long)call_count, call_name, what);
    exit(1);
}

static void require_status(earshot_status expected, earshot_status actual) {
    if (expected == actual) return;
    printf("call %llu, %s: %d (%s), not %d (%s)\n", (unsigned long long)call_count, call_name, actual,
        earshot_status_text(actual), expected, earshot_status_text(expected));
    exit(1);
}

// The behaviour of a receiver by the header, as far as it depends on the calls alone.
typedef struct {
    earshot_receiver *receiver;
    uint32_t profiles, channels, flags;
    bool is_flushed;
    // From now on the receiver hears frames and little else.
    bool is_calm;
    size_t next_sample;
} Model;

static Model models[RECEIVER_COUNT];

// The same bytes at an odd address, at the end of an allocation of its own.
static void *crooked_copy(const void *bytes, size_t size, void **allocation) {
    *allocation = malloc(size + 1);
    memcpy((char *)*allocation + 1, bytes, size);
    return (char *)*allocation + 1;
}

// ---- Sound ----

static size_t random_length(void) {
    return once_in(3) ? below(40) : once_in(3) ? below(LONGEST_BLOCK) : below(3000);
}

// The next stretch of one long sound with frames of all profiles in it, the same in all channels.
static float *stretch_of_frames(size_t count, Model *model) {
    static float *frames;
    static size_t frame_count;
    if (!frames) {
        frames = calloc(48000 * 40, sizeof(float));
        for (size_t first = 4800; first < 48000 * 36;) {
            uint8_t payload[8];
            for (int i = 0; i < 8; i++) payload[i] = (uint8_t)below(256);
            earshot_transmission transmission = {
                .size = sizeof transmission, .sample_rate_hertz = 48000, .profile = (uint32_t)ONE_OF(1, 1, 2, 4)};
            size_t made = 0;
            require_status(
                EARSHOT_OK,
                earshot_transmit_float(&transmission, payload, 8, frames + first, 48000 * 40 - first, &made));
            first += made + below(9600);
            frame_count = first;
        }
    }
    float *stretch = malloc(count * sizeof(float) + (count == 0));
    size_t channels = model->channels ? model->channels : 1;
    for (size_t i = 0; i < count; i++) stretch[i] = frames[(model->next_sample + i / channels) % frame_count];
    model->next_sample += count / channels;
    return stretch;
}

static float *random_floats(size_t count, Model *model) {
    if (model->is_calm || once_in(2)) return stretch_of_frames(count, model);
    float *samples = malloc(count * sizeof(float) + (count == 0));
    size_t kind = below(4);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = (uint32_t)(next_random() >> 32);
        float any;
        memcpy(&any, &bits, sizeof any);
        samples[i] = kind == 0 ? any
            : kind == 1        ? (float)bits / 4294967296.0f - 0.5f
            : kind == 2        ? (once_in(50) ? NAN : 0.1f)
                               : (once_in(2) ? INFINITY : -3e38f);
    }
    return samples;
}

static int16_t *random_integers(size_t count, Model *model) {
    int16_t *samples = malloc(count * sizeof(int16_t) + (count == 0));
    float *floats = model->is_calm || once_in(2) ? stretch_of_frames(count, model) : NULL;
    for (size_t i = 0; i < count; i++) {
        samples[i] = floats ? (int16_t)(floats[i] * 20000) : (int16_t)(next_random() >> 48);
    }
    free(floats);
    return samples;
}

// ---- Calls ----

static uint32_t any_rate(void) {
    return (uint32_t)(once_in(4) ? ONE_OF(0, 44099, 768001, 0xffffffff, 8000)
            : once_in(2)         ? ONE_OF(44100, 48000, 96000, 192000, 768000)
                                 : 48000);
}

static bool is_rate(uint32_t rate) { return rate >= EARSHOT_MINIMUM_RATE && rate <= EARSHOT_MAXIMUM_RATE; }

static uint32_t rarely(uint32_t bad, uint32_t good) { return once_in(12) ? bad : good; }

static void create(Model *model) {
    call_name = "create";
    earshot_receiver_options options = {
        .size = once_in(12) ? ONE_OF(0, 31, 33, 40, SIZE_MAX) : sizeof options,
        .sample_rate_hertz = any_rate(),
        .profiles = rarely((uint32_t)next_random(), (uint32_t)below(8)),
        .channel_count = rarely((uint32_t)ONE_OF(64, 65, 0xffffffff), (uint32_t)ONE_OF(0, 1, 1, 1, 2, 3, 8, 9)),
        .combine_count = rarely((uint32_t)next_random(), (uint32_t)ONE_OF(0, 0, 1, 2, 8)),
        .flags = rarely((uint32_t)next_random(), (uint32_t)below(4)),
        .reserved = rarely((uint32_t)next_random(), 0),
    };
    bool refuses_options = once_in(20), refuses_receiver = once_in(20), is_crooked = once_in(20);
    earshot_status expected = refuses_receiver                      ? EARSHOT_ERROR_NULL
        : refuses_options                                           ? EARSHOT_ERROR_NULL
        : is_crooked                                                ? EARSHOT_ERROR_ALIGNMENT
        : options.size != sizeof options                            ? EARSHOT_ERROR_STRUCT_SIZE
        : !is_rate(options.sample_rate_hertz)                       ? EARSHOT_ERROR_RATE
        : options.profiles > EARSHOT_ALL_PROFILES                   ? EARSHOT_ERROR_PROFILE
        : options.channel_count > EARSHOT_MAXIMUM_CHANNELS          ? EARSHOT_ERROR_CHANNELS
        : options.combine_count > EARSHOT_MAXIMUM_BURST             ? EARSHOT_ERROR_BURST
        : options.flags > 3 || options.reserved != 0                ? EARSHOT_ERROR_FLAGS
                                                                    : EARSHOT_OK;
    void *allocation = NULL;
    earshot_receiver_options *passed = refuses_options ? NULL
        : is_crooked ? crooked_copy(&options, sizeof options, &allocation)
                     : memcpy(allocation = malloc(sizeof options), &options, sizeof options);
    earshot_receiver *receiver = (earshot_receiver *)(void *)&options;
    require_status(expected, earshot_receiver_create(passed, refuses_receiver ? NULL : &receiver));
    free(allocation);
    if (!refuses_receiver) require((receiver != NULL) == (expected == EARSHOT_OK), "the receiver");
    if (expected != EARSHOT_OK) return;
    *model = (Model){
        .receiver = receiver,
        .profiles = options.profiles ? options.profiles : EARSHOT_ALL_PROFILES,
        .channels = options.channel_count ? options.channel_count : 1,
        .flags = options.flags,
        .is_calm = options.sample_rate_hertz == 48000 && once_in(2),
    };
}

static void destroy(Model *model) {
    call_name = "destroy";
    earshot_receiver_destroy(model->receiver);
    *model = (Model){0};
}

static void push(Model *model) {
    bool is_float = once_in(2);
    call_name = is_float ? "push_float" : "push_int16";
    size_t size = is_float ? sizeof(float) : sizeof(int16_t);
    size_t channels = model->receiver ? model->channels : 1, count = random_length() / channels;
    void *samples = is_float ? (void *)random_floats(count * channels, model)
                             : (void *)random_integers(count * channels, model);
    size_t kind = below(20);
    void *passed = kind == 0 ? NULL : kind == 1 ? (char *)samples + 1 : samples;
    size_t passed_count = kind == 2 ? ONE_OF(SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / size) : count;
    earshot_status expected = !model->receiver ? EARSHOT_ERROR_NULL
        : passed_count > SIZE_MAX / 2 / size / channels ? EARSHOT_ERROR_COUNT
        : passed_count > 0 && kind == 0                 ? EARSHOT_ERROR_NULL
        : passed_count > 0 && kind == 1                 ? EARSHOT_ERROR_ALIGNMENT
        : model->is_flushed                             ? EARSHOT_ERROR_FLUSHED
                                                        : EARSHOT_OK;
    require_status(
        expected,
        is_float ? earshot_receiver_push_float(model->receiver, passed, passed_count)
                 : earshot_receiver_push_int16(model->receiver, passed, passed_count));
    free(samples);
}

static void skip(Model *model) {
    call_name = "skip";
    uint64_t count = model->is_calm || once_in(2) ? below(20) : once_in(5) ? next_random() : below(500000);
    require_status(
        !model->receiver ? EARSHOT_ERROR_NULL : model->is_flushed ? EARSHOT_ERROR_FLUSHED : EARSHOT_OK,
        earshot_receiver_skip(model->receiver, count));
}

static void flush(Model *model) {
    call_name = "flush";
    require_status(
        !model->receiver ? EARSHOT_ERROR_NULL : EARSHOT_OK, earshot_receiver_flush(model->receiver));
    model->is_flushed = model->receiver != NULL;
}

static uint64_t polled_count;

static void poll_frame(Model *model) {
    call_name = "poll";
    size_t size = once_in(20) ? ONE_OF(0, 87, 89, SIZE_MAX) : sizeof(earshot_frame);
    earshot_frame *frame = malloc(sizeof *frame);
    memset(frame, 0x5a, sizeof *frame);
    bool is_null = once_in(30);
    earshot_status status = earshot_receiver_poll(model->receiver, is_null ? NULL : frame, size);
    if (!model->receiver || is_null) {
        require_status(EARSHOT_ERROR_NULL, status);
    } else if (size != sizeof *frame) {
        require_status(EARSHOT_ERROR_STRUCT_SIZE, status);
    } else if (status == EARSHOT_OK) {
        polled_count++;
        require(frame->payload_size >= 1 && frame->payload_size <= 32, "payload_size");
        for (uint32_t i = frame->payload_size; i < 32; i++) require(frame->payload[i] == 0, "behind the payload");
        require(earshot_profile_name(frame->profile) && (frame->profile & model->profiles), "profile");
        require(frame->start_sample < frame->end_sample, "start and end");
        require(isfinite(frame->offset_hertz) && isfinite(frame->snr_decibels), "offset_hertz, snr_decibels");
        require(isfinite(frame->path_metric), "path_metric");
        require(frame->channel < model->channels, "channel");
        require(frame->combined_count >= 1 && frame->combined_count <= 8, "combined_count");
        require(frame->is_recognised <= (model->flags & EARSHOT_RECOGNISE_TOKENS) / 2, "is_recognised");
        require(frame->reserved == 0, "reserved");
    } else {
        require_status(EARSHOT_NO_FRAME, status);
    }
    if (status != EARSHOT_OK) require(*(unsigned char *)frame == 0x5a, "a frame was written");
    free(frame);
}

static void transmit(void) {
    size_t function = below(3);
    call_name = "transmit";
    earshot_transmission transmission = {
        .size = once_in(12) ? ONE_OF(0, 23, 25, SIZE_MAX) : sizeof transmission,
        .sample_rate_hertz = any_rate(),
        .profile = rarely((uint32_t)next_random(), (uint32_t)ONE_OF(0, 1, 2, 4)),
        .burst_count = rarely((uint32_t)next_random(), (uint32_t)ONE_OF(0, 0, 0, 1, 2)),
        .amplitude = once_in(12) ? (float[]){NAN, INFINITY, -1, 1.5f, -1e-30f}[below(5)] : (float)below(1001) / 1000,
    };
    size_t payload_size = once_in(12) ? ONE_OF(0, 33, SIZE_MAX, SIZE_MAX / 2 + 1) : once_in(2) ? 8 : 1 + below(32);
    uint32_t profile = transmission.profile;
    earshot_status expected = transmission.size != sizeof transmission ? EARSHOT_ERROR_STRUCT_SIZE
        : !is_rate(transmission.sample_rate_hertz)                     ? EARSHOT_ERROR_RATE
        : profile != 0 && !earshot_profile_name(profile)               ? EARSHOT_ERROR_PROFILE
        : payload_size < 1 || payload_size > 32                        ? EARSHOT_ERROR_PAYLOAD
        : transmission.burst_count > 8                                 ? EARSHOT_ERROR_BURST
        : transmission.burst_count > 1 && payload_size != 8            ? EARSHOT_ERROR_BURST
        : !(transmission.amplitude >= 0 && transmission.amplitude <= 1) ? EARSHOT_ERROR_AMPLITUDE
                                                                       : EARSHOT_OK;
    // A mask of several profiles has no name, and neither has an unknown profile: both give the same error.
    size_t needed = 7;
    require_status(expected, earshot_transmit_sample_count(&transmission, payload_size, &needed));
    require((needed > 0) == (expected == EARSHOT_OK), "the count of samples");
    if (function == 0) return;
    size_t payload_room = payload_size <= 32 ? payload_size : 0;
    uint8_t *payload = malloc(payload_room + 1);
    for (size_t i = 0; i < payload_room; i++) payload[i] = (uint8_t)below(256);
    payload = realloc(payload, payload_room + (payload_room == 0));
    size_t capacity = once_in(10) ? below(needed + 1) : needed + below(3), count = 7;
    size_t size = function == 1 ? sizeof(float) : sizeof(int16_t);
    void *samples = malloc(capacity * size + (capacity == 0));
    bool has_payload = !once_in(20), has_samples = !once_in(20), has_count = !once_in(10);
    if (expected == EARSHOT_OK) {
        expected = !has_payload || !has_samples ? EARSHOT_ERROR_NULL
            : capacity < needed                 ? EARSHOT_ERROR_CAPACITY
                                                : EARSHOT_OK;
    }
    require_status(
        expected,
        function == 1 ? earshot_transmit_float(&transmission, has_payload ? payload : NULL, payload_size,
                            has_samples ? samples : NULL, capacity, has_count ? &count : NULL)
                      : earshot_transmit_int16(&transmission, has_payload ? payload : NULL, payload_size,
                            has_samples ? samples : NULL, capacity, has_count ? &count : NULL));
    bool counts = expected == EARSHOT_OK || expected == EARSHOT_ERROR_CAPACITY;
    require(count == (!has_count ? 7 : counts ? needed : 0), "the count of samples");
    for (size_t i = 0; expected == EARSHOT_OK && function == 1 && i < needed; i++) {
        require(fabsf(((float *)samples)[i]) <= 1, "a sample");
    }
    free(samples);
    free(payload);
}

static void ask(void) {
    call_name = "texts";
    require(strcmp(earshot_version(), EARSHOT_VERSION) == 0, "the version");
    require(strlen(earshot_status_text((int)next_random())) > 0, "a text");
    uint32_t profile = once_in(2) ? (uint32_t)below(10) : (uint32_t)next_random();
    require((earshot_profile_name(profile) != NULL) == (profile == 1 || profile == 2 || profile == 4), "a name");
}

// ---- Planted faults ----

static int plant(const char *fault) {
    earshot_receiver_options options = {.size = sizeof options, .sample_rate_hertz = 48000};
    earshot_receiver *receiver;
    require_status(EARSHOT_OK, earshot_receiver_create(&options, &receiver));
    if (strcmp(fault, "overflow") == 0) {
        earshot_receiver_push_float(receiver, calloc(100, sizeof(float)), 101);
    } else if (strcmp(fault, "overwrite") == 0) {
        earshot_transmission transmission = {.size = sizeof transmission, .sample_rate_hertz = 48000};
        float *samples = malloc(1000 * sizeof(float));
        earshot_transmit_float(&transmission, (const uint8_t *)"12345678", 8, samples, 100000, NULL);
        printf("%g\n", (double)samples[999]);
    } else if (strcmp(fault, "use-after-destroy") == 0) {
        earshot_receiver_destroy(receiver);
        earshot_receiver_flush(receiver);
    } else {
        return 64;
    }
    return 0;
}

int main(int argument_count, char **arguments) {
    if (argument_count == 3 && strcmp(arguments[1], "plant") == 0) return plant(arguments[2]);
    if (argument_count != 3) {
        fprintf(stderr, "usage: fuzz SEED CALLS | fuzz plant FAULT\n");
        return 64;
    }
    uint64_t seed = strtoull(arguments[1], NULL, 10), calls = strtoull(arguments[2], NULL, 10);
    // A state of zero stays zero; other seeds differ in all bits after a few steps.
    random_state = seed * 0x9E3779B97F4A7C15 + 1;
    for (int i = 0; i < 8; i++) next_random();
    for (call_count = 0; call_count < calls; call_count++) {
        Model *model = &models[below(RECEIVER_COUNT)];
        size_t kind = below(100);
        if (once_in(400) || (!model->receiver && kind < 60)) {
            if (model->receiver) destroy(model);
            create(model);
        } else if (kind < 60) {
            push(model);
        } else if (kind < 66) {
            skip(model);
        } else if (kind == 66 && once_in(3)) {
            flush(model);
        } else if (kind < 92) {
            poll_frame(model);
        } else if (kind < 97) {
            transmit();
        } else {
            ask();
        }
    }
    for (int i = 0; i < RECEIVER_COUNT; i++) destroy(&models[i]);
    printf("seed %llu: %llu calls, %llu frames\n", (unsigned long long)seed, (unsigned long long)calls,
        (unsigned long long)polled_count);
    return polled_count == 0;
}
