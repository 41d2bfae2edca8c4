#!/bin/sh
# The folders are layers: an include may point to the same folder or to one before it in this list,
# nothing in the core may include LibTorch, and threads are OpenMP's own business in two places only.
# See docs/structure.md.
set -eu
src=$1
rooms="model/layers model/encoders model/lstm model/transformer"
layers="base text tree oracle data metrics analysis model/kernels model $rooms generate ask serve train bench"
core="base text tree oracle data metrics analysis model/kernels"
failed=0
below=""
for layer in $layers; do
  below="$below $layer"
  # The policies' rooms know what a policy is (model), which knows its rooms only to make one.
  allowed=$below
  [ "$layer" = model ] && allowed="$below $rooms"
  for file in "$src/bough/$layer"/*.h "$src/bough/$layer"/*.cc; do
    for target in $(sed -n 's|^#include "bough/\(.*\)/[^/]*"$|\1|p' "$file"); do
      case " $allowed " in
        *" $target "*) ;;
        *) echo "$file includes bough/$target, which stands above $layer"; failed=1 ;;
      esac
    done
    if grep -nE '#include [<"](torch|ATen|c10)/|bough/model/torch.h' "$file" > /dev/null; then
      case " $core " in
        *" $layer "*) echo "$file: the core must not include LibTorch"; failed=1 ;;
      esac
    fi
    if grep -nE '#include [<"](torch/torch\.h)' "$file" > /dev/null &&
       [ "${file##*/}" != torch.h ]; then
      echo "$file: include bough/model/torch.h instead"; failed=1
    fi
  done
done
grep -rnE '#include "(command|commands|progress|signals)\.h"' "$src/bough" &&
  { echo "the library must not include the program"; failed=1; }
# An exception that leaves a region of OpenMP's ends the process; team.h hands it on. The kernels'
# inner loops throw nothing.
grep -rn 'omp parallel' "$src" --include='*.cc' --include='*.h' |
  grep -v "bough/model/kernels/\|bough/model/team\.h" &&
  { echo "loops on OpenMP's threads go through bough/model/team.h"; failed=1; }
[ "$failed" -eq 0 ] && echo "layering is as it should be"
exit "$failed"
