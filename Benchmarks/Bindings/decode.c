// Decodes 16 bit integers of one channel at 48 kHz from a file through the C interface, in
// the same way as `earshot decode`.
//
//     decode FILE      prints the number of frames
#include <earshot.h>

#include <stdio.h>

static int count_waiting(earshot_receiver *receiver) {
    earshot_frame frame;
    int count = 0;
    while (earshot_receiver_poll(receiver, &frame, sizeof frame) == EARSHOT_OK) count++;
    return count;
}

int main(int argument_count, char **arguments) {
    FILE *file = argument_count == 2 ? fopen(arguments[1], "rb") : NULL;
    earshot_receiver_options options = {.size = sizeof options, .sample_rate_hertz = 48000};
    earshot_receiver *receiver;
    if (!file || earshot_receiver_create(&options, &receiver) != EARSHOT_OK) return 1;
    static int16_t samples[16384];
    size_t count;
    int frames = 0;
    while ((count = fread(samples, sizeof *samples, 16384, file)) > 0) {
        if (earshot_receiver_push_int16(receiver, samples, count) != EARSHOT_OK) return 1;
        frames += count_waiting(receiver);
    }
    if (earshot_receiver_flush(receiver) != EARSHOT_OK) return 1;
    printf("%d\n", frames + count_waiting(receiver));
    earshot_receiver_destroy(receiver);
    fclose(file);
    return 0;
}
