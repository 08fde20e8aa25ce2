// mallopt, mallinfo2 and mtrace of glibc, which Swift's Glibc module leaves out.
#include <malloc.h>
#include <mcheck.h>
