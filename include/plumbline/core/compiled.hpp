#pragma once
/// How plumbline is built. Header-only is the default. With PLUMBLINE_COMPILED, which the target plumbline::compiled
/// sets, non-template code is only declared here and comes from that library; its definitions are in the headers
/// that end in _inl.hpp. All files of a program must be built the same way: a mixture is refused when it is linked, by
/// the name below.

#ifdef PLUMBLINE_COMPILED
#define PLUMBLINE_INLINE
#define PLUMBLINE_DETAIL_HOW "compiled"
#else
#define PLUMBLINE_INLINE inline
#define PLUMBLINE_DETAIL_HOW "header_only"
#endif

/// Code that a run goes through once, or when something failed: compiled for size, which takes less time.
#define PLUMBLINE_SETUP [[gnu::cold]]

// A global symbol in a group of sections that is named after the way of building: of one group the linker keeps one
// copy, but two groups define the symbol twice.
#if defined(__ELF__) && defined(__GNUC__)
__asm__(".pushsection .rodata.plumbline_" PLUMBLINE_DETAIL_HOW ",\"aG\",%progbits,plumbline_is_" PLUMBLINE_DETAIL_HOW
        ",comdat\n"
        ".globl plumbline_some_files_define_PLUMBLINE_COMPILED_and_some_do_not\n"
        "plumbline_some_files_define_PLUMBLINE_COMPILED_and_some_do_not:\n"
        ".byte 0\n"
        ".popsection\n");
#endif
#undef PLUMBLINE_DETAIL_HOW
