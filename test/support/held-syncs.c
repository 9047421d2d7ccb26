// Preloaded into a gateway: lets a test hold back, refuse and watch the syncs of the files in one folder.
//   HELD_SYNCS_FOLDER  the files that are concerned
//   HELD_SYNCS_CONTROL a folder: while `hold` is in it syncs wait, while `fail` is in it they fail with EIO;
//                      `log` gets a line per sync, `main` or `other` (which thread) and the file's name
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int has(const char *control, const char *name) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", control, name);
  return access(path, F_OK) == 0;
}

static int held(const char *function, int file) {
  const char *folder = getenv("HELD_SYNCS_FOLDER"), *control = getenv("HELD_SYNCS_CONTROL");
  int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, function);
  char link[64], target[PATH_MAX] = "", line[PATH_MAX + 16], log[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  if (!folder || !control || readlink(link, target, sizeof target - 1) < 0) return sync(file);
  if (strncmp(target, folder, strlen(folder)) != 0) return sync(file);
  snprintf(log, sizeof log, "%s/log", control);
  int length = snprintf(line, sizeof line, "%s %s\n", gettid() == getpid() ? "main" : "other", strrchr(target, '/') + 1);
  int out = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (out >= 0) {
    if (write(out, line, length) < 0) abort();
    close(out);
  }
  while (has(control, "hold")) usleep(1000);
  if (has(control, "fail")) {
    errno = EIO;
    return -1;
  }
  return sync(file);
}

int fsync(int file) { return held("fsync", file); }
int fdatasync(int file) { return held("fdatasync", file); }
