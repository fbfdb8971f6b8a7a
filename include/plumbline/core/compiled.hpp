#pragma once
/// How plumbline is built. Header-only is the default. With PLUMBLINE_COMPILED, which the target plumbline::compiled
/// sets, headers only declare non-template code, and the library provides it; its definitions are in the headers that
/// end in _inl.hpp. All files of a program must be built the same way: the linker rejects a mixture, because of the
/// symbol below.

#ifdef PLUMBLINE_COMPILED
#define PLUMBLINE_INLINE
#define PLUMBLINE_DETAIL_HOW "compiled"
#else
#define PLUMBLINE_INLINE inline
#define PLUMBLINE_DETAIL_HOW "header_only"
#endif

/// Code that runs once in a run, or after a failure: compiled for size, which takes less time to compile.
#define PLUMBLINE_SETUP [[gnu::cold]]
/// A function that calls such code and is called by the user's. g++ takes code that cannot but call a cold function for
/// cold as well, through any number of calls that it can see into, and would compile the loop over the stream for size.
#if defined(__GNUC__) && !defined(__clang__)
#define PLUMBLINE_CALLS_SETUP [[gnu::noipa]]
#else
#define PLUMBLINE_CALLS_SETUP [[gnu::noinline]]
#endif

// A global symbol in a section group (COMDAT) that is named after the build mode. The linker keeps one copy of each
// group, so two different groups define the symbol twice.
#if defined(__ELF__) && defined(__GNUC__)
__asm__(".pushsection .rodata.plumbline_" PLUMBLINE_DETAIL_HOW ",\"aG\",%progbits,plumbline_is_" PLUMBLINE_DETAIL_HOW
        ",comdat\n"
        ".globl plumbline_some_files_define_PLUMBLINE_COMPILED_and_some_do_not\n"
        "plumbline_some_files_define_PLUMBLINE_COMPILED_and_some_do_not:\n"
        ".byte 0\n"
        ".popsection\n");
#endif
#undef PLUMBLINE_DETAIL_HOW
