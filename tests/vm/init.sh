#!/bin/sh
# Pid 1 of a User Mode Linux guest. Its root is the host's, read only; lays a layer in memory over it and goes on there.
# The kernel's command line hands over GUEST, the file with this guest's variables.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH GUEST
. "$GUEST"
mount -t tmpfs -o size=75% layer /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work layer /mnt/root
for folder in $WRITABLE; do mount -t hostfs -o "$folder" host "/mnt/root$folder"; done
exec chroot /mnt/root /bin/sh "$HERE/guest_up.sh"
