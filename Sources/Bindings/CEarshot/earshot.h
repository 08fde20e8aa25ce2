/* Earshot: devices find each other by tokens as near-ultrasound, 18.5 to 20 kHz. The C interface of the
 * modem.
 *
 * A receiver takes samples and finds frames; a transmission turns a payload of 1 to 32 bytes into samples.
 * Nothing here opens a device or a file, starts a thread, reads a clock, prints, or keeps global state.
 *
 * Memory. The caller owns all buffers and structs. The library keeps no pointer into them after a call
 * returns. The only object that it creates is an earshot_receiver, which earshot_receiver_destroy frees.
 * Texts are constants: never free them.
 *
 * Threads. Functions without an earshot_receiver may be called on any thread at any time. Receivers are
 * independent: different threads may use different ones at the same time. One receiver takes one call at a
 * time, on any thread; a second call in the meantime does nothing and returns EARSHOT_ERROR_BUSY. No call may
 * follow or overlap earshot_receiver_destroy. No function waits for another thread, except for a short lock
 * while a receiver is created or destroyed.
 *
 * Errors. Every function checks its arguments and reports what is wrong with them; a call that returns an
 * error has changed nothing, unless its comment says so. Functions check pointers for NULL and alignment, but
 * cannot check that they point to enough memory. If the system has no memory left, the process ends (abort).
 * A receiver takes up to 9 MB per channel, and the first one 6 MB more, regardless of the time and sound.
 *
 * The structs that a caller passes begin with their own size, and earshot_receiver_poll asks for the size of
 * a frame. So a later version can add fields at their ends, and programs compiled before still work. */
#ifndef EARSHOT_H
#define EARSHOT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. earshot_version returns that of the library. */
#define EARSHOT_VERSION "0.2.0"

/* The version of the library, such as "0.2.0". */
const char *earshot_version(void);

/* The result of a function. Errors are negative. */
typedef enum earshot_status {
    EARSHOT_OK = 0,
    /* earshot_receiver_poll: no frame is waiting. */
    EARSHOT_NO_FRAME = 1,
    /* A pointer that must not be NULL is NULL. */
    EARSHOT_ERROR_NULL = -1,
    /* A pointer does not have the alignment of its type. */
    EARSHOT_ERROR_ALIGNMENT = -2,
    /* The library does not know a struct's size: it was not set, or the header is newer. */
    EARSHOT_ERROR_STRUCT_SIZE = -3,
    /* The sample rate is outside of EARSHOT_MINIMUM_RATE to EARSHOT_MAXIMUM_RATE. */
    EARSHOT_ERROR_RATE = -4,
    /* No such profile, or several where one is needed. */
    EARSHOT_ERROR_PROFILE = -5,
    /* There are more than EARSHOT_MAXIMUM_CHANNELS channels. */
    EARSHOT_ERROR_CHANNELS = -6,
    /* More than EARSHOT_MAXIMUM_BURST repeats, or several of a payload that is not a token. */
    EARSHOT_ERROR_BURST = -7,
    /* There is no such flag, or a reserved field is not 0. */
    EARSHOT_ERROR_FLAGS = -8,
    /* The amplitude is negative, above 1, or not a number. */
    EARSHOT_ERROR_AMPLITUDE = -9,
    /* The payload does not have 1 to EARSHOT_MAXIMUM_PAYLOAD bytes. */
    EARSHOT_ERROR_PAYLOAD = -10,
    /* The buffer is too small for the samples; *sample_count is their number. */
    EARSHOT_ERROR_CAPACITY = -11,
    /* The count is larger than any memory. */
    EARSHOT_ERROR_COUNT = -12,
    /* The receiver was flushed and takes no more input. Create another one. */
    EARSHOT_ERROR_FLUSHED = -13,
    /* Another thread is calling a function with the same receiver. */
    EARSHOT_ERROR_BUSY = -14,
    /* The input was taken, but frames were dropped, because EARSHOT_MAXIMUM_WAITING were waiting already. Poll more
     * often. */
    EARSHOT_ERROR_DROPPED = -15
} earshot_status;

/* The meaning of a status, as an English sentence without a full stop. Never NULL, for any number. */
const char *earshot_status_text(int status);

/* Limits. */
enum {
    EARSHOT_MINIMUM_RATE = 44100,   /* hertz */
    EARSHOT_MAXIMUM_RATE = 768000,  /* hertz */
    EARSHOT_TOKEN_SIZE = 8,         /* bytes of a token, the payload that needs no length header */
    EARSHOT_MAXIMUM_PAYLOAD = 32,   /* bytes */
    EARSHOT_MAXIMUM_CHANNELS = 64,
    EARSHOT_MAXIMUM_BURST = 8,      /* repeats */
    EARSHOT_MAXIMUM_WAITING = 16384 /* frames that wait to be polled */
};

/* Profiles: speed and reach. They can be combined with | where several are allowed. */
enum {
    EARSHOT_FAST = 1,     /* a token in 0.555 s: arm's length, and small rooms */
    EARSHOT_STANDARD = 2, /* a token in 1.109 s: a room */
    EARSHOT_FAR = 4,      /* a token in 2.219 s: a large room, or around a corner */
    EARSHOT_ALL_PROFILES = EARSHOT_FAST | EARSHOT_STANDARD | EARSHOT_FAR
};

/* "fast", "standard" or "far"; NULL if `profile` is not exactly one profile. */
const char *earshot_profile_name(uint32_t profile);

/* ---- Receiving ---- */

enum {
    /* Each channel is decoded separately, and a frame is reported once for each channel that hears it. */
    EARSHOT_SEPARATE_CHANNELS = 1,
    /* Frames that cannot be decoded are reported too if they have most tones of a token that was decoded less than
     * a minute before. */
    EARSHOT_RECOGNISE_TOKENS = 2
};

/* Options of a receiver. Zeros mean defaults, so name the fields that you set:
 *     earshot_receiver_options options = {.size = sizeof options, .sample_rate_hertz = 48000}; */
typedef struct earshot_receiver_options {
    size_t size;                /* sizeof(earshot_receiver_options) */
    uint32_t sample_rate_hertz; /* samples a second and channel; no default */
    uint32_t profiles;          /* the profiles to listen for, combined with |; 0: all */
    uint32_t channel_count;     /* 0: 1. Two to eight are one device's microphones, combined; more are separate */
    uint32_t combine_count;     /* repeats of a token in a burst that are read together, 2 to 8; 0 or 1: none */
    uint32_t flags;             /* EARSHOT_SEPARATE_CHANNELS, EARSHOT_RECOGNISE_TOKENS, combined with | */
    uint32_t reserved;          /* 0 */
} earshot_receiver_options;

/* A frame that was heard, with the evidence for it. */
typedef struct earshot_frame {
    uint8_t payload[32];     /* its bytes; those after payload_size are 0 */
    uint32_t payload_size;   /* 1 to EARSHOT_MAXIMUM_PAYLOAD */
    uint32_t profile;        /* EARSHOT_FAST, EARSHOT_STANDARD or EARSHOT_FAR */
    int64_t start_sample;    /* the sample of the input at which it starts; negative if it began before the input */
    int64_t end_sample;      /* the sample after its last one */
    double offset_hertz;     /* the offset of its tones above their places: Doppler and clock error */
    float snr_decibels;      /* signal power over noise power in 1,500 Hz */
    float path_metric;       /* about 1.1 (just decoded in noise; 0.9 if combined) to 4.6 (no noise); 0 if recognised */
    uint32_t channel;        /* the channel that heard it best, from 0 on; the SNR is that channel's */
    uint32_t combined_count; /* the number of repeats that were read together; 1 for a frame that was read alone */
    uint32_t is_recognised;  /* 1 if it was recognised instead of decoded */
    uint32_t reserved;       /* 0 */
} earshot_frame;

/* Takes samples and finds frames. */
typedef struct earshot_receiver earshot_receiver;

/* Creates a receiver at the start of its input, *receiver. It is NULL after an error.
 * Returns EARSHOT_ERROR_NULL, _ALIGNMENT, _STRUCT_SIZE, _RATE, _PROFILE, _CHANNELS, _BURST or _FLAGS if an
 * argument or an option is invalid. */
earshot_status earshot_receiver_create(const earshot_receiver_options *options, earshot_receiver **receiver);

/* Ends a receiver. NULL is allowed and does nothing. */
void earshot_receiver_destroy(earshot_receiver *receiver);

/* Processes samples. The frames that ended wait to be polled. Most frames are decided within 0.1 s of their
 * last sample. Blocks may have any size, and the frames do not depend on the block sizes.
 *   samples        shape [sample_count][channel_count], full scale 1. NaN counts as silence, and other values
 *                  are limited to ±100. May be NULL if sample_count is 0.
 *   sample_count   samples of each channel.
 * Returns EARSHOT_ERROR_DROPPED if frames had to be dropped, EARSHOT_ERROR_NULL, _ALIGNMENT, _COUNT, _FLUSHED
 * or _BUSY. */
earshot_status earshot_receiver_push_float(earshot_receiver *receiver, const float *samples, size_t sample_count);

/* The same for integers; full scale is 32768. The frames are those of the same samples as floats. */
earshot_status earshot_receiver_push_int16(earshot_receiver *receiver, const int16_t *samples, size_t sample_count);

/* Skips `sample_count` samples of each channel that were lost. A hole is not silence: a frame with a hole is
 * decoded from the rest if that suffices, and frames after it keep their place.
 * Returns like a push. */
earshot_status earshot_receiver_skip(earshot_receiver *receiver, uint64_t sample_count);

/* Ends the input: the frames that can still be found wait to be polled. Pushing and skipping are errors from
 * now on; flushing again does nothing. Returns like a push. */
earshot_status earshot_receiver_flush(earshot_receiver *receiver);

/* Takes the first waiting frame.
 *   frame          receives it. Untouched if there is none.
 *   frame_size     sizeof(earshot_frame)
 * Returns EARSHOT_OK if there was one, EARSHOT_NO_FRAME if there was none, EARSHOT_ERROR_NULL, _ALIGNMENT,
 * _STRUCT_SIZE or _BUSY. */
earshot_status earshot_receiver_poll(earshot_receiver *receiver, earshot_frame *frame, size_t frame_size);

/* ---- Transmitting ---- */

/* Options of a transmission. Zeros mean defaults, so name the fields that you set:
 *     earshot_transmission transmission = {.size = sizeof transmission, .sample_rate_hertz = 48000}; */
typedef struct earshot_transmission {
    size_t size;                /* sizeof(earshot_transmission) */
    uint32_t sample_rate_hertz; /* samples a second; no default */
    uint32_t profile;           /* one profile; 0: EARSHOT_STANDARD */
    uint32_t burst_count;       /* the number of times that a token is sent, 2 to 8; 0 or 1: once */
    float amplitude;            /* the peak, up to 1; 0: 0.25, which is -12 dBFS */
} earshot_transmission;

/* Computes the number of samples of a payload of `payload_size` bytes, *sample_count. It is 0 after an error.
 * Returns EARSHOT_ERROR_NULL, _ALIGNMENT, _STRUCT_SIZE, _RATE, _PROFILE, _BURST, _AMPLITUDE or _PAYLOAD. */
earshot_status earshot_transmit_sample_count(
    const earshot_transmission *transmission, size_t payload_size, size_t *sample_count);

/* Writes the samples of a payload, one channel, full scale 1, from the frame's first sample to its last. The
 * same arguments give the same samples.
 *   samples        receives *sample_count samples; nothing after an error.
 *   capacity       the number of samples for which there is room; more than needed is allowed.
 *   sample_count   receives the number of samples. It is 0 after an error other than
 *                  EARSHOT_ERROR_CAPACITY. NULL is allowed.
 * Returns EARSHOT_ERROR_CAPACITY or the errors of earshot_transmit_sample_count. */
earshot_status earshot_transmit_float(
    const earshot_transmission *transmission, const uint8_t *payload, size_t payload_size, float *samples,
    size_t capacity, size_t *sample_count);

/* The same as integers; full scale is 32768, and values above 32767 become that. */
earshot_status earshot_transmit_int16(
    const earshot_transmission *transmission, const uint8_t *payload, size_t payload_size, int16_t *samples,
    size_t capacity, size_t *sample_count);

#ifdef __cplusplus
}
#endif

#endif
