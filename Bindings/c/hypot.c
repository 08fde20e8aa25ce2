/* glibc 2.35 gave hypot and hypotf a new version, and hypotl not. swift-numerics offers all three, and the modem calls none. With
   these in their place (the linker's --wrap=hypot) the library also runs with glibc 2.34. They are as exact, and slower. */
#include <math.h>

double __wrap_hypot(double x, double y);
float __wrap_hypotf(float x, float y);
double __wrap_hypot(double x, double y) { return (double)hypotl(x, y); }
float __wrap_hypotf(float x, float y) { return (float)hypotl(x, y); }
