// SimGrid's simulator loads the program as a shared library. If the program is started directly,
// execution begins here, without libraries and before any initialisation; otherwise the kernel
// would jump to the first byte of the file.

#if defined(TRILEMMA_SIMGRID) && defined(__x86_64__) && defined(__linux__)

extern "C" [[noreturn, gnu::used, gnu::visibility("default"), gnu::no_stack_protector]] void
trilemma_without_smpirun() {
  static const char sentence[] =
      "trilemma: this program is for SimGrid's simulated ranks; start it with jobs/simulate\n";
  constexpr long write = 1, exit = 60, standard_error = 2, user_error = 2;
  long done = write;
  asm volatile("syscall"
               : "+a"(done)
               : "D"(standard_error), "S"(sentence), "d"(sizeof(sentence) - 1)
               : "rcx", "r11", "memory");
  asm volatile("syscall" : : "a"(exit), "D"(user_error) : "rcx", "r11", "memory");
  __builtin_unreachable();
}

#endif
