#pragma once

/// How often memory was allocated in this process so far: malloc, calloc, realloc and the aligned ones, by anybody.
long malloc_counter_count(void);
