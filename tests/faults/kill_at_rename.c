/* Loaded before the program (LD_PRELOAD): kills it, as a power cut would, just before its n-th renaming of a file. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void count(void) {
  static int done = 0;
  const char* at = getenv("KILL_AT_RENAME");
  if (at != NULL && __atomic_add_fetch(&done, 1, __ATOMIC_SEQ_CST) == atoi(at)) kill(getpid(), SIGKILL);
}

int rename(const char* from, const char* to) {
  int (*next)(const char*, const char*) = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "rename");
  count();
  return next(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  int (*next)(int, const char*, int, const char*, unsigned) =
      (int (*)(int, const char*, int, const char*, unsigned))dlsym(RTLD_NEXT, "renameat2");
  count();
  return next(from_folder, from, to_folder, to, flags);
}

int link(const char* from, const char* to) {
  int (*next)(const char*, const char*) = (int (*)(const char*, const char*))dlsym(RTLD_NEXT, "link");
  count();
  return next(from, to);
}
