#!/bin/sh
# Second half of a guest's start, in the host's userland: the kernel's file systems, name, network and RDMA device, then the service.
# Any kind of guest comes here, with GUEST naming the file of its variables.
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TMPDIR=/run/tmp WEFT_VM_DOOR=/run/weft-vm-door
export PATH HOME TMPDIR WEFT_VM_DOOR
set -a
. "$GUEST"
set +a
mountpoint -q /dev || {
  mount -t proc proc /proc
  mount -t sysfs sys /sys
  mount -t devtmpfs dev /dev
}
mkdir -p /dev/shm /dev/pts
mount -t tmpfs shm /dev/shm
mount -t devpts pts /dev/pts
mount -t tmpfs run /run
mkdir -m 1777 /run/tmp /run/lock
[ -e /dev/fd ] || ln -s /proc/self/fd /dev/fd
hostname "n$NODE_ID"
{
  echo 127.0.0.1 localhost
  for peer in $(echo "$PEERS" | tr ',' ' '); do echo "$peer n$((${peer##*.} - 1))"; done
} >/etc/hosts
ulimit -l unlimited
ulimit -c 0

echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad # an address is there at once
ip link set lo up
for NETDEV in vec0 eth0 dummy0; do [ -e "/sys/class/net/$NETDEV" ] && break; done
export NETDEV
[ -e "/sys/class/net/$NETDEV" ] || ip link add dummy0 type dummy
ip link set "$NETDEV" mtu "$MTU"
ip link set "$NETDEV" up
ip address add "$IP/24" dev "$NETDEV"
[ "$DEVICE" = none ] || rdma link add "${DEVICE}0" type "$DEVICE" netdev "$NETDEV"
exec "$PYTHON" -S -E "$HERE/service.py" "$LINE"
