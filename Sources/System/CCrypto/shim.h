// OpenSSL's hashes, and the ciphers of sealed messages. pkg-config says where the headers are.
#include <openssl/evp.h>
#include <openssl/hmac.h>
