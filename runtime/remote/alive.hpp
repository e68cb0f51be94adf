// Which ranks of this node still live. Each holds a record lock (fcntl(2)) on a byte of the node's memory file that stands for
// it; the kernel takes it away when the process ends, however it ends, and says so at once to who asks, also across process
// namespaces and while the dead one has not been waited for. Under the runtime lock.
#pragma once

namespace weft::remote {

void claim_life();                     // once, before others ask; nothing where ranks share no memory
bool is_gone(int world_rank);          // false: lives, or cannot be known

}  // namespace weft::remote
