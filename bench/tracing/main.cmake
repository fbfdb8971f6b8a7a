# Loops and functions are aligned to 64 bytes, in the traced and the untraced forms: otherwise the same instructions may
# be faster at one address than at another by more than tracing costs.
set(options -falign-functions=64 -falign-loops=64)
