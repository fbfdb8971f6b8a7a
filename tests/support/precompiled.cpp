// Holds the precompiled header that the test executables share.
