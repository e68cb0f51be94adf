#!/bin/busybox sh
# First process of a guest in QEMU, in the initial file system that stock.py packs: loads the modules, mounts the host's root and goes
# on there. The kernel's command line hands over what to run there.
box=/bin/busybox
for module in /modules/*; do $box insmod "$module" || echo "cannot load $module"; done
$box mount -t 9p -o trans=virtio,version=9p2000.L,cache=loose,ro,msize=512000 host /host
exec $box chroot /host "$@"
