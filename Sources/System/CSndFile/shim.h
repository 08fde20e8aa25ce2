// libsndfile. Nothing is added: every call we make is importable as it is.
#include <sndfile.h>
