// mallopt and mallinfo2 of glibc, which Swift's Glibc module leaves out.
#include <malloc.h>
