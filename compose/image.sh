#!/usr/bin/env bash
# Builds the image `meridian:local` from this checkout. Needs docker and what `npm run build` needs.
# Without a registry the base is made from this machine's own Node (or the one that the build brought) and its libraries.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd "$root" && npm run --silent build)
# Where this machine's Node is too old, the build has brought one that fits.
if [ -x "$root/.tools/node/bin/node" ]; then PATH="$root/.tools/node/bin:$PATH"; fi
nats=$(node --input-type=module -e "import { natsServer } from '$root/scripts/nats-server.mjs'; console.log(natsServer())" | tail -n 1)

# The production dependencies alone, with the native module as it was built here.
cp "$root/package.json" "$work/"
cp -r "$root/dist" "$work/dist"
cp -r "$root/node_modules" "$work/node_modules"
(cd "$work" && npm prune --omit=dev --ignore-scripts --no-audit --no-fund --silent)
cp "$nats" "$work/nats-server"
cp "$root/compose/Dockerfile" "$work/"

base=${BASE:-node:24-bookworm-slim}
if ! docker image inspect "$base" >/dev/null 2>&1 && ! docker pull --quiet "$base" >/dev/null 2>&1; then
  echo "no registry: the base image is made from this machine's Node" >&2
  base=meridian-base:local
  rootfs="$work/rootfs"
  mkdir -p "$rootfs/usr/local/bin" "$rootfs/bin" "$rootfs/tmp" "$rootfs/etc" "$rootfs/data"
  chmod 1777 "$rootfs/tmp"
  chown 65532:65532 "$rootfs/data"
  for program in "$(command -v node)" /bin/sh; do
    cp -L "$program" "$rootfs/$([ "$program" = /bin/sh ] && echo bin/sh || echo usr/local/bin/node)"
    ldd "$program" | grep -o '/[^ )]*' | while read -r library; do
      mkdir -p "$rootfs$(dirname "$library")"
      cp -L "$library" "$rootfs$library"
    done
  done
  # The native module's libraries, and name resolution.
  for library in libstdc++.so.6 libgcc_s.so.1 libnss_files.so.2 libnss_dns.so.2 libresolv.so.2; do
    path=$(ldconfig -p | awk -v l="$library" '$1 == l { print $NF; exit }')
    [ -n "$path" ] && mkdir -p "$rootfs$(dirname "$path")" && cp -L "$path" "$rootfs$path"
  done
  printf 'meridian:x:65532:65532::/app:/bin/sh\n' >"$rootfs/etc/passwd"
  printf 'hosts: files dns\n' >"$rootfs/etc/nsswitch.conf"
  tar -C "$rootfs" -c . | docker import - "$base" >/dev/null
fi
DOCKER_BUILDKIT=${DOCKER_BUILDKIT:-0} docker build --quiet --build-arg "BASE=$base" -t meridian:local -f "$work/Dockerfile" "$work" >/dev/null
echo "built meridian:local on $base"
