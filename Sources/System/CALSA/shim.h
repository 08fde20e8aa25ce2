// ALSA's library. Nothing is added: what is a macro there (`snd_pcm_*_alloca`) has a function beside it.
#include <alsa/asoundlib.h>
