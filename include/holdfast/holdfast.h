/* Holdfast for C (C11): take part in a job, hear who of it has died, ask who is believed alive,
 * leave. C++ programs include <holdfast/holdfast.hpp>, which is the same in C++20.
 *
 * A program that uses it is started with
 *     holdfast launch -n 4 -- ./program
 * or by mpirun of Open MPI or srun --mpi=pmix, and every process of the job joins once:
 *
 *     holdfast_job *job;
 *     if (holdfast_join(10000, &job) != HOLDFAST_OK) {
 *       fprintf(stderr, "%s\n", holdfast_error());
 *       return 1;
 *     }
 *     holdfast_verdict verdict;
 *     while (holdfast_next_verdict(job, 1000, &verdict) == HOLDFAST_OK) ...
 *     holdfast_leave(job, 1000);
 *
 * From join to leave a thread of the library answers and listens for this process, and another one
 * answers those who look at it (holdfast status); they sleep while nothing happens, block every
 * signal, and call nothing of the program's. A program that computes for a minute without calling
 * the library is not believed dead.
 *
 * Threads: every function may be called from any thread, several at a time, on one handle, except
 * that holdfast_leave is the last call on it: no other may be going on then, such as one that waits
 * for a verdict, or follow. In a child made by fork a handle is worth nothing. Each verdict is
 * given to one caller.
 *
 * Names: "process" is a rank of the job, 0 .. processes-1. Times are milliseconds, or nanoseconds
 * where the name says so. Enumerations may get more members in a later minor version: have a
 * default.
 */
#ifndef HOLDFAST_HOLDFAST_H
#define HOLDFAST_HOLDFAST_H

#include <stdint.h>

#include <holdfast/version.h>

#if defined(__GNUC__)
#define HOLDFAST_API __attribute__((visibility("default")))
#define HOLDFAST_CHECKED __attribute__((warn_unused_result))
#else
#define HOLDFAST_API
#define HOLDFAST_CHECKED
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What became of a call. Only HOLDFAST_OK is success; the others leave outputs alone, and
 * holdfast_error() says more. */
typedef enum holdfast_status {
  HOLDFAST_OK = 0,
  HOLDFAST_INVALID = 1,        /* an argument is out of its range */
  HOLDFAST_TIMED_OUT = 2,      /* the time is over */
  HOLDFAST_NOT_LAUNCHED = 3,   /* nobody has started this process in a job */
  HOLDFAST_JOINED_BEFORE = 4,  /* this process has joined, or tried to, before */
  HOLDFAST_BAD_ASSIGNMENT = 5, /* what the launcher, the environment or another process says of
                                  the job is spoilt, or does not fit */
  HOLDFAST_WRONG_VERSION = 6,  /* the job or its launcher speaks another version; both are named */
  HOLDFAST_ABANDONED = 7,      /* the launcher is gone */
  HOLDFAST_SYSTEM = 8          /* the operating system refused something */
} holdfast_status;

/* What is believed of a process, in the order in which one incarnation of it may proceed. */
typedef enum holdfast_state {
  HOLDFAST_JOINING = 0, /* it has come back and has not yet heard from anyone */
  HOLDFAST_ALIVE = 1,
  HOLDFAST_SUSPECTED = 2, /* counts as alive */
  HOLDFAST_FAILED = 3,    /* believed dead; if mistaken, a verdict HOLDFAST_ALIVE follows, with a
                             higher incarnation */
  HOLDFAST_LEFT = 4,      /* it has left in order */
  HOLDFAST_COMMITTED = 5  /* the survivors have agreed that it is over. Of this process itself: it
                             must not act in the job any more */
} holdfast_state;

/* One process as the view has it. */
typedef struct holdfast_member {
  uint32_t process;
  uint32_t node;        /* the machine that it runs on, 0 .. nodes-1 */
  uint32_t incarnation; /* which life of it is meant; grows when it comes back */
  int32_t state;        /* a holdfast_state */
} holdfast_member;

/* That a belief has changed. */
typedef struct holdfast_verdict {
  holdfast_member member;
  uint64_t view_version; /* of the view from which on it holds */
  int64_t at_ns;         /* when this process came to believe it, by CLOCK_MONOTONIC */
} holdfast_verdict;

/* This process's part in its job. */
typedef struct holdfast_job holdfast_job;

/* Joins the job for which this process was started; once in the life of a process. Returns when all
 * processes of the job have joined, or after `timeout_ms` (0 .. 2^31-1): then, as after every other
 * error, this process is no part of the job and *job is NULL. The caller owns *job and gives it
 * back with holdfast_leave. If the launcher dies while the process is in the job, the process is
 * ended by SIGKILL: no process outlives its job. Under mpirun or srun the environment says what
 * `holdfast launch` has options for: HOLDFAST_PERIOD, HOLDFAST_TIMEOUT and HOLDFAST_PER_NODE. A
 * program that uses MPI joins after MPI_Init and leaves before MPI_Finalize. */
HOLDFAST_API HOLDFAST_CHECKED holdfast_status holdfast_join(int32_t timeout_ms, holdfast_job** job);

/* Leaves, and frees the handle whatever is returned. The others get the verdict HOLDFAST_LEFT;
 * `timeout_ms` (0 .. 2^31-1) bounds the wait until they have acknowledged it. HOLDFAST_TIMED_OUT:
 * not everybody has; who has not will believe this process dead once it has ended. A process that
 * ends without leaving is believed dead, whatever its exit status. In a child made by fork it does
 * nothing: HOLDFAST_INVALID. */
HOLDFAST_API holdfast_status holdfast_leave(holdfast_job* job, int32_t timeout_ms);

/* The next verdict: HOLDFAST_OK and *verdict, or HOLDFAST_TIMED_OUT if there is none within
 * `timeout_ms` (0: only looks; -1: waits as long as it takes). Verdicts come in the order in which
 * this process came to believe them. There is at most one waiting for each process: if its state
 * changes again before it was heard, only the later is given. Verdicts are about others; about
 * this process only HOLDFAST_COMMITTED. */
HOLDFAST_API HOLDFAST_CHECKED holdfast_status holdfast_next_verdict(holdfast_job* job,
                                                                    int32_t timeout_ms,
                                                                    holdfast_verdict* verdict);

/* A descriptor for poll, select or epoll: readable (POLLIN) as long as a verdict waits. The
 * library's own: not to be read or closed; valid until holdfast_leave. */
HOLDFAST_API int holdfast_verdict_fd(const holdfast_job* job);

/* What does not change while the job lasts. */
HOLDFAST_API uint32_t holdfast_self(const holdfast_job* job);      /* this process */
HOLDFAST_API uint32_t holdfast_processes(const holdfast_job* job); /* >= 1 */
HOLDFAST_API uint32_t holdfast_nodes(const holdfast_job* job);     /* >= 1 */

/* What is believed of one process now. HOLDFAST_INVALID: there is no such process. */
HOLDFAST_API HOLDFAST_CHECKED holdfast_status holdfast_find_member(const holdfast_job* job,
                                                                   uint32_t process,
                                                                   holdfast_member* member);

/* The whole view at one moment: members[0 .. processes-1] by process, and its version, which grows
 * with every change and means nothing to other processes. `room` is how many members the caller's
 * array holds, at least holdfast_processes. `members` may be NULL with room 0: only the version. */
HOLDFAST_API HOLDFAST_CHECKED holdfast_status holdfast_view(const holdfast_job* job,
                                                            holdfast_member* members, uint32_t room,
                                                            uint64_t* version);

/* "joining", "alive", "suspected", "failed", "left", "committed"; "unknown" for anything else. */
HOLDFAST_API const char* holdfast_state_name(int32_t state);

/* Why the last call of this thread that failed did: one sentence in English of at most 1023 bytes,
 * never NULL. The library's own; valid until this thread's next call of the library. */
HOLDFAST_API const char* holdfast_error(void);

/* The version of the library that runs, such as "0.1.0"; HOLDFAST_VERSION is that of the header. */
HOLDFAST_API const char* holdfast_version(void);

#ifdef __cplusplus
}
#endif

#endif
