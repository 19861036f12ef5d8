#!/usr/bin/env bash
# Builds the images meridian-global, meridian-zone and meridianctl (`:local`, or the tag that is given), and what runs
# beside them in the scenarios: meridian-nats:local and meridian-envoy:local. Needs docker and what `npm run build` needs.
# Without a registry the base is made from this machine's own Node (or the one that the build brought) and its libraries.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tag=${1:-local}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DOCKER_BUILDKIT=${DOCKER_BUILDKIT:-0}

(cd "$root" && npm run --silent build)
# Where this machine's Node is too old, the build has brought one that fits.
if [ -x "$root/.tools/node/bin/node" ]; then PATH="$root/.tools/node/bin:$PATH"; fi
# In: a script of scripts/ and its function. Out: the path of the program that it finds or fetches.
program() { node --input-type=module -e "import { $2 } from '$root/scripts/$1'; console.log($2())" | tail -n 1; }

# Puts a program and the libraries that it is linked with into a folder that becomes a root file system.
take() { # FOLDER PROGRAM PATH-IN-THE-FOLDER
  install -D -m 755 "$2" "$1$3"
  # A static program has none.
  { ldd "$2" 2>/dev/null | grep -o '/[^ )]*' || true; } | while read -r library; do
    [ -e "$1$library" ] || install -D -m 755 "$library" "$1$library"
  done
}

# The programs are one file each; outside is only the native module: its JavaScript and the one file for this machine.
app="$work/app"
sqlite=node_modules/better-sqlite3
mkdir -p "$app/$sqlite" "$work/bin" "$work/data"
cp "$root/package.json" "$root/compose/healthy.mjs" "$app/"
cp -r "$root/dist" "$app/dist"
find "$app/dist" -name '*.map' -delete
cp -r "$root/$sqlite/package.json" "$root/$sqlite/lib" "$app/$sqlite/"
native=$(cd "$root" && node -e "
  require('better-sqlite3')(':memory:').close();
  console.log(process.report.getReport().sharedObjects.find((file) => file.includes('better') && file.endsWith('.node')));
")
install -D -m 644 "$native" "$app/$sqlite/${native#*"$sqlite/"}"
for name in global zone ctl; do
  link=$([ $name = ctl ] && echo meridianctl || echo "meridian-$name")
  ln -s "/app/dist/cmd/$name/main.js" "$work/bin/$link"
done
cp "$root/compose/Dockerfile" "$work/"

base=${BASE:-node:24-bookworm-slim}
if ! docker image inspect "$base" >/dev/null 2>&1 && ! docker pull --quiet "$base" >/dev/null 2>&1; then
  echo "no registry: the base image is made from this machine's Node" >&2
  base=meridian-base:local
  rootfs="$work/rootfs"
  mkdir -p "$rootfs/tmp" "$rootfs/etc"
  chmod 1777 "$rootfs/tmp"
  take "$rootfs" "$(command -v node)" /usr/local/bin/node
  ! command -v strip >/dev/null || strip "$rootfs/usr/local/bin/node"
  # The programs begin with `#!/usr/bin/env node`.
  take "$rootfs" "$(command -v env)" /usr/bin/env
  # The native module's libraries, and name resolution.
  for library in libstdc++.so.6 libgcc_s.so.1 libnss_files.so.2 libnss_dns.so.2 libresolv.so.2; do
    path=$(ldconfig -p | awk -v l="$library" '$1 == l && !found++ { print $NF }')
    [ -z "$path" ] || [ -e "$rootfs$path" ] || install -D -m 755 "$path" "$rootfs$path"
  done
  printf 'meridian:x:65532:65532::/app:/bin/false\n' >"$rootfs/etc/passwd"
  printf 'hosts: files dns\n' >"$rootfs/etc/nsswitch.conf"
  tar -C "$rootfs" -c . | docker import - "$base" >/dev/null
fi
for image in meridian-global meridian-zone meridianctl; do
  docker build --quiet --build-arg "BASE=$base" --target "$image" -t "$image:$tag" "$work" >/dev/null 2>"$work/said" ||
    { cat "$work/said" >&2; exit 1; }
done

# In: an image's name, a program, what the image starts.
beside() {
  docker image inspect "$1" >/dev/null 2>&1 && return
  local rootfs="$work/${1%%:*}"
  mkdir -p "$rootfs/tmp"
  chmod 1777 "$rootfs/tmp"
  take "$rootfs" "$2" "$3"
  tar -C "$rootfs" -c . | docker import --change "ENTRYPOINT [\"$3\"]" --change 'USER 65532:65532' - "$1" >/dev/null
}
beside meridian-nats:local "$(program nats-server.mjs natsServer)" /usr/local/bin/nats-server
beside meridian-envoy:local "$(program envoy.mjs envoy)" /usr/local/bin/envoy
echo "built meridian-global, meridian-zone and meridianctl:$tag on $base"
