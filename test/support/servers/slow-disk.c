/* Preloaded into a process: fsync and fdatasync that last longer, wait or fail, and what a machine that lost its power would find. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

struct content { char *bytes; off_t size; };

/* By the descriptor that is open: to close another one of the file would give up SQLite's locks. */
static struct content content_of(int fd) {
  struct stat found = {0};
  if (fd >= 0) fstat(fd, &found);
  struct content content = {calloc(1, found.st_size + PAGE), found.st_size};
  for (off_t at = 0; fd >= 0 && at < found.st_size;) {
    ssize_t some = pread(fd, content.bytes + at, found.st_size - at, at);
    if (some <= 0) break;
    at += some;
  }
  return content;
}

static struct content content_at(const char *path) {
  int fd = open(path, O_RDONLY);
  struct content content = content_of(fd);
  if (fd >= 0) close(fd);
  return content;
}

static void put(const char *path, struct content content) {
  char draft[PATH_MAX + 8];
  snprintf(draft, sizeof draft, "%s.part", path);
  int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  for (off_t at = 0; at < content.size;) {
    ssize_t some = write(fd, content.bytes + at, content.size - at);
    if (some <= 0) abort();
    at += some;
  }
  close(fd);
  rename(draft, path);
}

/* Pages of a sync that failed are taken for clean: they reach the disk when they are written anew. */
static void forget(struct content now, struct content lost, struct content kept) {
  for (off_t at = 0; at + PAGE <= now.size && at + PAGE <= lost.size; at += PAGE) {
    if (memcmp(now.bytes + at, lost.bytes + at, PAGE) != 0) continue;
    if (at + PAGE <= kept.size) memcpy(now.bytes + at, kept.bytes + at, PAGE);
    else memset(now.bytes + at, 0, PAGE);
  }
}

static int finish(int fd, const char *name) {
  char link[64], path[PATH_MAX] = "", kept[2 * PATH_MAX], lost[2 * PATH_MAX + 8];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (readlink(link, path, sizeof path - 1) < 0) path[0] = 0;
  const char *directory = getenv("DISK_KEPT"), *failing = getenv("DISK_FAILS"), *gate = getenv("DISK_WAITS");
  const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  snprintf(kept, sizeof kept, "%s/%s", directory ? directory : "", base);
  snprintf(lost, sizeof lost, "%s.lost", kept);
  struct content begun = directory ? content_of(fd) : (struct content){0};

  if (gate && access(gate, F_OK) == 0) {
    char reached[PATH_MAX], one[PATH_MAX];
    snprintf(reached, sizeof reached, "%s.reached", gate);
    snprintf(one, sizeof one, "%s.one", gate);
    close(open(reached, O_WRONLY | O_CREAT, 0600));
    while (access(gate, F_OK) == 0 && unlink(one) != 0) usleep(1000);
    unlink(reached);
  }
  if (getenv("DISK_MS")) usleep(1000 * atoi(getenv("DISK_MS")));
  int fails = failing && access(failing, F_OK) == 0;
  int outcome = fails ? -1 : ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
  if (directory && fails) put(lost, begun);
  else if (directory) {
    struct content failed = content_at(lost), last = content_at(kept);
    forget(begun, failed, last);
    put(kept, begun);
    free(failed.bytes), free(last.bytes);
  }
  free(begun.bytes);
  if (fails) errno = EIO;
  return outcome;
}

static int synced(int fd, const char *name) {
  int in_turns = getenv("DISK_KEPT") != NULL;
  if (in_turns) pthread_mutex_lock(&one_at_a_time);
  int outcome = finish(fd, name), fault = errno;
  if (in_turns) pthread_mutex_unlock(&one_at_a_time);
  errno = fault;
  return outcome;
}

int fsync(int fd) { return synced(fd, "fsync"); }
int fdatasync(int fd) { return synced(fd, "fdatasync"); }
