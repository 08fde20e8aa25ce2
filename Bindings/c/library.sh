#!/usr/bin/env bash
# Builds the C interface as one shared library and one static archive that need no Swift on the machine.
#
#     Bindings/c/library.sh [FOLDER]
#
# Puts libearshot.so.VERSION and its links, libearshot.a, earshot.h and earshot.pc into FOLDER/lib, include and lib/pkgconfig
# (.build/c/installed), and what valgrind should not report into FOLDER/share/earshot. The pkg-config file says PREFIX
# (/usr/local) and LIBDIR (PREFIX/lib). With FFTW=0 the library has no FFTW in it, and is built in .build/c-without-fftw.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift=${SWIFT:-swift}
built=.build
own=.build/c
traits=()
if [[ ${FFTW:-1} == 0 ]]; then
    built=.build/without-fftw
    own=.build/c-without-fftw
    traits=(--disable-default-traits)
fi
folder=${1:-$own/installed}
interface=Sources/Bindings/CEarshot
version=$(sed -nE 's/^#define EARSHOT_VERSION "(.*)"$/\1/p' $interface/earshot.h)
# Programs that were linked with one version run with every later one of the same major number.
soname=libearshot.so.${version%%.*}

link() { for argument; do printf '%s\n' -Xlinker "$argument"; done; }

# FFTW is linked in too, where the system has it as an archive: the library then needs the C library alone. The folder
# holds nothing else, so that the linker finds no shared library before it.
link_fftw_in() {
    mkdir -p $own/archives
    pkg-config --exists fftw3f || { echo "FFTW is missing: scripts/install-dependencies.sh build" >&2; exit 69; }
    archive=$(pkg-config --variable=libdir fftw3f)/libfftw3f.a
    if [[ -f $archive ]]; then
        ln -sf "$archive" $own/archives/
        sed "s|^Libs:.*|Libs: -L$PWD/$own/archives -lfftw3f|" \
            "$(pkg-config --variable=pcfiledir fftw3f)/fftw3f.pc" >$own/archives/fftw3f.pc
        export PKG_CONFIG_PATH=$PWD/$own/archives
    else
        echo "There is no $archive: the library will need libfftw3f.so." >&2
    fi
}
[[ ${FFTW:-1} == 0 ]] || link_fftw_in

mkdir -p $own
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v "$swift")")")")
# Not as a builtin: the compiler would make hypotl a hypot again.
"$toolchain/bin/clang" -O2 -fno-builtin -fPIC -Wall -Wextra -Werror -c Bindings/c/hypot.c -o $own/hypot.o
# nodelete: Swift's runtime cannot be unloaded.
mapfile -t linking < <(link --version-script="$PWD/$interface/earshot.map" -soname="$soname" -z nodelete -z defs -z now \
    --build-id=none \
    "$PWD/$own/hypot.o" --wrap=hypot --wrap=hypotf)
# Where the command line is built, and with the same flags of the compiler, so that the modem compiles once for both.
EARSHOT_STATIC=1 "$swift" build -c release --static-swift-stdlib --product earshot-c --scratch-path $built --disable-local-rpath \
    --explicit-target-dependency-import-check error "${traits[@]}" "${linking[@]}"

# One object with everything but the C library and the C++ library in it, of which only the functions of the header can be seen.
# The objects are those that SwiftPM has just linked, the libraries those that it links with -static-stdlib.
make_archive() {
    local runtime=$toolchain/lib/swift_static/linux fftw=() keep
    [[ ! -f $own/archives/libfftw3f.a || ${FFTW:-1} == 0 ]] || fftw=($own/archives/libfftw3f.a)
    ld -r -o $own/earshot.o @$built/release/earshot-c.product/Objects.LinkFileList "$runtime/$(uname -m)/swiftrt.o" \
        --start-group "$runtime"/libswift*.a "$runtime"/lib{dispatch,BlocksRuntime}.a "${fftw[@]}" --end-group
    mapfile -t keep < <(sed -nE 's/^ +(earshot_[a-z0-9_]+);$/--keep-global-symbol=\1/p' $interface/earshot.map)
    objcopy --strip-debug --remove-section=.swift_modhash "${keep[@]}" $own/earshot.o
    rm -f "$1"
    ar rcsD "$1" $own/earshot.o
}

mkdir -p "$folder"/{lib/pkgconfig,include,share/earshot}
make_archive "$folder/lib/libearshot.a"
install -m 644 Bindings/c/valgrind.supp "$folder/share/earshot/"
install -s --strip-program=scripts/strip.sh -m 755 $built/release/libearshot-c.so "$folder/lib/libearshot.so.$version"
ln -sf "libearshot.so.$version" "$folder/lib/$soname"
ln -sf "$soname" "$folder/lib/libearshot.so"
install -m 644 $interface/earshot.h "$folder/include/"
prefix=${PREFIX:-/usr/local}
libdir=${LIBDIR:-$prefix/lib}
sed -e "s|@PREFIX@|$prefix|" -e "s|@LIBDIR@|\${prefix}${libdir#"$prefix"}|" -e "s|@VERSION@|$version|" $interface/earshot.pc.in \
    >"$folder/lib/pkgconfig/earshot.pc"
