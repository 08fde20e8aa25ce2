#pragma once

/// The number of allocations in this process so far: malloc, calloc, realloc and the aligned ones, from any module.
long malloc_counter_count(void);
