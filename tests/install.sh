#!/bin/sh
# What `cmake --install` and `cpack` make, used as its users would: after the prefix was moved, without
# the source tree, and by a project of their own.
#
#     tests/install.sh CHECK
#
# BOUGH_SOURCE and BOUGH_BUILD name the folders, BOUGH_PROGRAM the program as it was built. The check
# `prefix`, which installs, comes first; the others share what it leaves in BUILD/install-test/moved.
set -eu
folder=$BOUGH_BUILD/install-test
prefix=$folder/moved
golden=$BOUGH_SOURCE/tests/golden/metrics
unset BOUGH_MODELS BOUGH_TAGGER
fail() { echo "$*" && exit 1; }
same() { [ "$1" = "$2" ] || fail "expected '$1', but got '$2'"; }

# run_core_metrics PROGRAM: the example has to say what `bough eval` says, without LibTorch.
run_core_metrics() {
  expected=$("$BOUGH_PROGRAM" eval "$golden/ref1.txt" -i "$golden/hypA.txt" -m bleu chrf ter \
    --format text | sed 's/|[^ ]* = \([0-9.]*\).*/ = \1/')
  same "$expected" "$("$1" "$golden/ref1.txt" "$golden/hypA.txt")"
  ! readelf -d "$1" | grep -i 'torch\|c10\|dnnl' || fail "$1 links LibTorch"
}

# expect_shipped_files PREFIX: its program runs, and finds what came with it and nothing else.
expect_shipped_files() {
  program=$1/bin/bough
  same "$("$BOUGH_PROGRAM" --version)" "$("$program" --version)"
  same "$("$BOUGH_PROGRAM" generate --model english -n 3 --quiet)" \
    "$("$program" generate --model english -n 3 --quiet)"
  same "DET ADJ NOUN VERB PRON NUM NOUN PUNCT" "$(echo 'The old man gave her two books .' | "$program" tagger tag --quiet)"
  # Libraries that LibTorch names and nobody calls are empty ones of ours.
  for library in "$1"/lib/bough/stand-ins/*; do
    ldd "$1/bin/bough-nn" | grep -q "=> .*$(basename "$1")/.*stand-ins/$(basename "$library") " ||
      fail "$library isn't taken"
    break
  done
  # Tagger and models are those beside this program: it fails when these are damaged.
  other=$1.other
  rm -rf "$other"
  mkdir -p "$other/bin" "$other/share/bough/tagger" "$other/share/bough/models/mine"
  cp "$program" "$other/bin/"
  echo damaged > "$other/share/bough/tagger/english.tagger"
  cp "$1/share/bough/models/english/config.json" "$other/share/bough/models/mine/"
  ! echo 'the dog' | "$other/bin/bough" tagger tag 2> "$other/said" || fail "a damaged tagger is taken"
  grep -q "$other/share/bough/tagger/english.tagger" "$other/said" || fail "$(cat "$other/said")"
  "$other/bin/bough" info --list | grep -q '^mine ' || fail "a model beside the program isn't found"
}

build_example() {  # NAME
  rm -rf "${folder:?}/$1"
  cmake -G Ninja -S "$BOUGH_SOURCE/examples/$1" -B "$folder/$1" -DCMAKE_PREFIX_PATH="$prefix" > "$folder/log" ||
    fail "$(cat "$folder/log")"
  cmake --build "$folder/$1"
}

# expect_configured WORDS-OF-FIND_PACKAGE LIBTORCH(ON|OFF) OUTCOME(0|1) TEXT
expect_configured() {
  rm -rf "$folder/finds" && mkdir -p "$folder/finds"
  cat > "$folder/finds/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.25)
project(finds LANGUAGES CXX)
find_package(bough $1)
foreach(target core nn)
  if(TARGET bough::\${target})
    message(STATUS "has \${target}")
  endif()
endforeach()
END
  hidden=ON
  [ "$2" = ON ] && hidden=OFF
  outcome=0
  cmake -G Ninja -S "$folder/finds" -B "$folder/finds/build" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_DISABLE_FIND_PACKAGE_Torch=$hidden > "$folder/finds/said" 2>&1 || outcome=1
  said=$(tr '\n' ' ' < "$folder/finds/said" | tr -s ' ')
  same "$3" "$outcome"
  case $said in *"$4"*) ;; *) fail "find_package(bough $1), LibTorch $2: no '$4' in '$said'" ;; esac
}

case $1 in
  prefix)
    rm -rf "$folder" && mkdir -p "$folder"
    cmake --install "$BOUGH_BUILD" --prefix "$folder/first" > "$folder/log"
    grep -q "^ExecStart=$folder/first/bin/bough serve" "$folder/first/lib/systemd/system/bough.service" ||
      fail "systemd's unit doesn't name the installed program"
    mv "$folder/first" "$prefix"
    ! grep -rl "$folder\|$BOUGH_SOURCE" "$prefix/lib/cmake" "$prefix/lib/pkgconfig" "$prefix/include" ||
      fail "these files name folders of this machine"
    ;;
  program)
    expect_shipped_files "$prefix"
    for file in bash-completion/completions/bough zsh/site-functions/_bough \
      fish/vendor_completions.d/bough.fish; do
      grep -q 'completion for bough' "$prefix/share/$file" || fail "no $file"
    done
    ;;
  headers) # none may include what isn't installed, or draw a warning
    for header in $(cd "$prefix/include" && find bough -name '*.h' | sort); do
      echo "#include \"$header\""
    done > "$folder/headers.cc"
    [ "$(wc -l < "$folder/headers.cc")" -gt 50 ] || fail "headers are missing"
    grep -q '"bough/bough.h"' "$folder/headers.cc" || fail "bough.h is missing"
    export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
    # shellcheck disable=SC2046  # words
    g++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags bough-core) "$folder/headers.cc"
    ;;
  find_package)
    build_example core_metrics
    run_core_metrics "$folder/core_metrics/core_metrics"
    expect_configured "0.2 REQUIRED" ON 0 "has nn"
    expect_configured "REQUIRED COMPONENTS core" OFF 0 "has core"
    expect_configured "REQUIRED" OFF 0 "bough::nn is left out: LibTorch was not found"
    expect_configured "REQUIRED COMPONENTS nn" OFF 1 "bough::nn: LibTorch was not found"
    expect_configured "REQUIRED COMPONENTS trees" OFF 1 "there is no such component"
    expect_configured "0.1 REQUIRED" OFF 1 "compatible with requested version"
    ;;
  pkg_config)
    export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
    same "$("$BOUGH_PROGRAM" --version)" "bough $(pkg-config --modversion bough-core)"
    # shellcheck disable=SC2046  # words
    g++ -std=c++20 "$BOUGH_SOURCE/examples/core_metrics/main.cc" -o "$folder/by-pkg-config" \
      $(pkg-config --cflags --libs bough-core)
    run_core_metrics "$folder/by-pkg-config"
    # In a shared library, too, which then is the place that files are looked for from.
    mkdir -p "$folder/elsewhere"
    cat > "$folder/elsewhere/where.cc" << END
#include <cstdio>
#include "bough/base/share.h"
extern "C" void tell() { std::puts(bough::own_folder().c_str()), std::fflush(stdout); }
END
    # shellcheck disable=SC2046  # words
    g++ -std=c++20 -shared -fPIC "$folder/elsewhere/where.cc" -o "$folder/elsewhere/where.so" \
      $(pkg-config --cflags --libs bough-core)
    same "$folder/elsewhere" "$(python3 -c "import ctypes; ctypes.CDLL('$folder/elsewhere/where.so').tell()")"
    ;;
  write_sentences)
    build_example write_sentences
    same "$("$BOUGH_PROGRAM" generate --model english -n 3 --quiet)" \
      "$(BOUGH_MODELS=$prefix/share/bough/models "$folder/write_sentences/write_sentences" english 3 | cut -c 12-)"
    export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
    # shellcheck disable=SC2046  # words
    g++ -std=c++20 "$BOUGH_SOURCE/examples/write_sentences/main.cc" -o "$folder/write-by-pkg-config" \
      $(pkg-config --cflags --libs bough-nn)
    "$folder/write-by-pkg-config" "$prefix/share/bough/models/english" 1 > /dev/null
    ;;
  subdirectory)
    guest=$folder/guest
    rm -rf "$guest"
    # Without optimising: the core compiles in half of the time.
    cmake -G Ninja -S "$BOUGH_SOURCE/tests/subdirectory" -B "$guest" -DBOUGH_SOURCE="$BOUGH_SOURCE" \
      -DBOUGH_NN=OFF -DBOUGH_UNITY=ON -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
      -DCMAKE_DISABLE_FIND_PACKAGE_Torch=ON > "$folder/log" || fail "$(cat "$folder/log")"
    cmake --build "$guest" -j "$(nproc)" > "$folder/log" || fail "$(cat "$folder/log")"
    run_core_metrics "$guest/core_metrics"
    ;;
  package)
    deb=$folder/deb
    (cd "$BOUGH_BUILD" && cpack -B "$deb" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip) > "$folder/log" || fail "$(cat "$folder/log")"
    dpkg-deb -x "$deb"/bough_*.deb "$deb/root"
    dpkg-deb -x "$deb"/libbough-dev_*.deb "$deb/root"
    expect_shipped_files "$deb/root/usr"
    for file in lib/libbough_nn.a lib/cmake/bough/bough-config.cmake include/bough/bough.h \
      share/doc/bough/copyright share/doc/libbough-dev/copyright share/zsh/vendor-completions/_bough \
      share/man/man1/bough.1.gz; do
      [ -f "$deb/root/usr/$file" ] || fail "no $file in the packages"
    done
    grep -q "^ExecStart=/usr/bin/bough " "$deb/root/usr/lib/systemd/system/bough.service" ||
      fail "systemd's unit doesn't name the packaged program"
    dependencies=$(dpkg-deb -f "$deb"/bough_*.deb Depends)
    for library in libtorch libdnnl libicu libfmt libc6; do
      case $dependencies in *$library*) ;; *) fail "the package depends on '$dependencies', not on $library" ;; esac
    done
    case $(dpkg-deb -f "$deb"/bough_*.deb Recommends) in *libopenblas0*) ;; *) fail "no BLAS is recommended" ;; esac
    [ -z "$(dpkg-deb --ctrl-tarfile "$deb"/bough_*.deb | tar -t | grep conffiles)" ] || fail "there are conffiles"
    ;;
  *) fail "there is no check '$1'" ;;
esac
