// OpenSSL's hashes. pkg-config says where the header is.
#include <openssl/evp.h>
