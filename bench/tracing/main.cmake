# Loops and functions begin at 64 bytes in the traced and the untraced forms: without this, one loop may be up to 15 %
# faster or slower than the same instructions elsewhere, which is more than tracing costs.
set(options -falign-functions=64 -falign-loops=64)
