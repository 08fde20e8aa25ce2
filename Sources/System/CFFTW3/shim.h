// FFTW in single precision. Nothing is added: every call we make is importable as it is.
#include <fftw3.h>
