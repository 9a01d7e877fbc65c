#!/bin/sh
# Makes the secrets of compose.yaml in a folder (.secrets unless another is named), those that are missing: random passwords,
# and the addresses that contain them. The folder is open to its owner alone; the files have to be read by the containers' users.
set -eu
folder=${1:-.secrets}
mkdir -p -m 700 "$folder"
cd "$folder"
umask 022

keep() {
  if [ ! -e "$1" ]; then printf '%s\n' "$2" >"$1"; fi
}
random() {
  od -An -N24 -tx1 /dev/urandom | tr -d ' \n'
}

for each in postgres_owner_password postgres_app_password redis_password; do keep "$each" "$(random)"; done
keep migrate_database_url "postgres://console_owner:$(cat postgres_owner_password)@postgres:5432/console"
keep database_url "postgres://console_app:$(cat postgres_app_password)@postgres:5432/console"
keep redis_url "redis://:$(cat redis_password)@redis:6379"
