#!/bin/sh
# Installs what is missing of lists of Debian packages; asks for root only then. A package whose
# program is there already, from wherever, is not missing.
set -eu
missing=""
for package in $(sed 's/#.*//' "$@"); do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || command -v "$package" > /dev/null ||
    missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo > /dev/null || {
    echo "These packages are missing; install them as root:" >&2
    echo "  apt-get install$missing" >&2
    exit 1
  }
  as_root="sudo"
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086  # the list is meant to be split
$as_root apt-get install -y -qq --no-install-recommends $missing > /dev/null
