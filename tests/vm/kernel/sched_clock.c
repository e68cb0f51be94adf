/* Appended to arch/um/kernel/time.c by build.sh.
   User Mode Linux counts scheduler time in ticks; sched_yield() then keeps the processor until a tick of 4 ms is over, and two
   ranks that poll on a guest's one processor take that long an operation. The host's clock, in nanoseconds, is at hand. */
#include <linux/sched/clock.h>

unsigned long long notrace sched_clock(void) {
  static unsigned long long boot_ns;
  const unsigned long long now_ns = os_nsecs();
  if (boot_ns == 0) boot_ns = now_ns;
  return now_ns - boot_ns;
}
