// The walk of a polyphase filter through its input and its phases, for the filters of floats and of integers.
#ifndef EARSHOT_POLYPHASE_H
#define EARSHOT_POLYPHASE_H

#include "Forms.h"

/// The start of the next output: the input's index, the phase and the rotation.
struct walk {
    size_t first, phase, rotation;
};

INLINE struct walk begin_walk(const struct earshot_polyphase *filter, size_t phase, size_t rotation) {
    return (struct walk){phase / filter->phase_count, phase % filter->phase_count, rotation};
}

/// Stores the starts of the next `present` of `count` outputs, and their rows of taps. The last one replaces missing
/// ones.
INLINE void next_outputs(
    const struct earshot_polyphase *filter, size_t whole, size_t part, struct walk *walk, size_t present, size_t count,
    size_t firsts[], size_t rows[]) {
    for (size_t i = 0; i < count; i++) {
        if (i >= present) {
            firsts[i] = firsts[i - 1];
            rows[i] = rows[i - 1];
            continue;
        }
        firsts[i] = walk->first;
        size_t row = walk->phase;
        if (filter->table_count < filter->phase_count) {
            row = row * filter->table_count / filter->phase_count;
        }
        rows[i] = row * 2 * filter->tap_count;
        walk->first += whole;
        walk->phase += part;
        if (walk->phase >= filter->phase_count) {
            walk->phase -= filter->phase_count;
            walk->first++;
        }
    }
}

INLINE void next_rotations(const struct earshot_polyphase *filter, struct walk *walk, size_t count) {
    walk->rotation += count;
    while (walk->rotation >= filter->rotation_count) {
        walk->rotation -= filter->rotation_count;
    }
}

#endif
