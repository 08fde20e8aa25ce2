// The C library's module for Swift leaves this header out.
#include <malloc.h>
