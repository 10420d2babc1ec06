// Loaded before everything else (LD_PRELOAD): makes chosen calls of the process fail, and interrupts it.
//
// fail_allocation(k): the k-th allocation of at most kLargest bytes from now on, on any thread, returns NULL.
// fail_threads(1): no thread can be started.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static const size_t kLargest = 1 << 16;
static atomic_long countdown = 0;
static atomic_int no_threads = 0;

void fail_allocation(long k) { atomic_store(&countdown, k); }
void fail_threads(int wanted) { atomic_store(&no_threads, wanted); }

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_memalign(size_t, size_t);

static int fails(size_t size) {
  if (size > kLargest || atomic_load(&countdown) <= 0) return 0;
  if (atomic_fetch_sub(&countdown, 1) != 1) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return fails(size) ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return fails(n * size) ? NULL : __libc_calloc(n, size); }
void *aligned_alloc(size_t alignment, size_t size) {
  return fails(size) ? NULL : __libc_memalign(alignment, size);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *argument) {
  static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = NULL;
  if (atomic_load(&no_threads)) return EAGAIN;
  if (!real) real = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
  return real(thread, attr, start, argument);
}

// SIGINT comes once the process has used so much more processor time, on all its threads together.
int interrupt_after(double seconds) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGINT};
  struct itimerspec when = {.it_value = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9) + 1}};
  timer_t timer;
  if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer)) return errno;
  return timer_settime(timer, 0, &when, NULL) ? errno : 0;
}
