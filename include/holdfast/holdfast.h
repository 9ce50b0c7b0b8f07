/* Holdfast for C (C11): take part in a job, hear who of it has died, ask who is believed alive,
 * send messages that arrive once and whole or say why not, leave. C++ programs include
 * <holdfast/holdfast.hpp>, which is the same in C++20.
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

/* What became of a call. Only HOLDFAST_OK is success; the others leave outputs alone unless a
 * function says otherwise, and holdfast_error() says more. */
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
  HOLDFAST_SYSTEM = 8,         /* the operating system refused something */
  HOLDFAST_PEER_FAILED = 9,    /* of a message: the other process is believed dead, or has left */
  HOLDFAST_TRUNCATED = 10,     /* of a message: it is longer than the memory, which is full */
  HOLDFAST_CANCELLED = 11,     /* of a message: nobody wants it any more */
  HOLDFAST_UNREACHABLE = 12,   /* of a message: no network leads to the other process; it need not
                                  be dead */
  HOLDFAST_NO_MESSAGES = 13,   /* this job has none */
  HOLDFAST_BUSY = 14           /* of a message: there is no place for another one now */
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
 * `holdfast launch` has options for: HOLDFAST_PERIOD, HOLDFAST_TIMEOUT and HOLDFAST_PER_NODE; and
 * HOLDFAST_ADDRESSES, the networks of the job (docs/interface.md). A program that uses MPI joins
 * after MPI_Init and leaves before MPI_Finalize. */
HOLDFAST_API HOLDFAST_CHECKED holdfast_status holdfast_join(int32_t timeout_ms, holdfast_job** job);

/* Leaves, and frees the handle whatever is returned. The others get the verdict HOLDFAST_LEFT;
 * `timeout_ms` (0 .. 2^31-1) bounds the wait until they have acknowledged it. HOLDFAST_TIMED_OUT:
 * not everybody has; who has not will believe this process dead once it has ended. What has come of
 * messages is acknowledged before that. As acknowledgements may be lost, a process to which
 * messages have come goes on acknowledging for a quarter of a second after all know, unless nobody
 * else is left or `timeout_ms` is over before. What has begun to be sent and was not waited for may
 * never arrive, as nothing waits for it. A process that ends without leaving is believed dead,
 * whatever its exit status. In a child made by fork it does nothing: HOLDFAST_INVALID. */
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

/* Messages.
 *
 * A message is any number of bytes from 0. It goes to one process with a context (of whom or what:
 * a communicator, a library; messages of two contexts never meet) and a tag, both the program's
 * own. It arrives once and whole, or its request ends with the reason; messages of one sender in
 * one context are met by receives in the order of their sending, and receives that a message could
 * satisfy in the order of their starting. A process may send to itself. A communicator that is made
 * anew after a death is one of another epoch, and takes a context of its own: what was on its way
 * in the old one meets no receive of the new one.
 *
 * Whatever begins, begins with `..._start`, which never waits and gives a request; holdfast_test
 * and holdfast_wait say how it ended. holdfast_send and holdfast_receive are both in one.
 *
 * Memory: from the start until a function has said how the request ended, the memory is the
 * library's: bytes to be sent must neither change nor go away, bytes for a message must not be
 * looked at, and may be written several times. HOLDFAST_TIMED_OUT says that this time is not over:
 * the request goes on. holdfast_leave ends all requests, and gives their memory back.
 *
 * Progress: messages move while the program is in one of these functions (of any request), and
 * lie still while it computes; it is not believed dead for that. What has come is acknowledged
 * before a function returns: no sender waits for the next call. But over UDP and TCP a program that
 * has answered short messages at once, again and again, is expected to answer the next one, too:
 * its acknowledgement then waits for the answer, or for the library's own thread, which sends it
 * one to two milliseconds later. A send of up to 32768 bytes (where TCP is all there is, 1 MiB) ends when
 * they are in the receiver's library, a longer one when it is in the receiver's memory, for which a
 * receive has to be started. What other processes have sent and nobody has received yet is kept,
 * up to 1 MiB of each of them (4 MiB); then they wait.
 *
 * Deaths: when the view has a process as failed or gone, its requests end with
 * HOLDFAST_PEER_FAILED, except that messages of it that have arrived, and all before them, can
 * still be received: one behind a message that has not arrived is lost with it, whatever its tag.
 * Receives from any source go on, but for those that have met a message of it which is not whole.
 * If the others were mistaken about this process (it comes back with a higher incarnation), all
 * its requests end so, as theirs with it do, and what it had not yet received is lost, though its
 * senders were told that it had come.
 *
 * Where: in every job, over the same fabric as the job's own frames: that of `holdfast launch
 * --fabric`, or under PMIx and without a launcher the environment's HOLDFAST_FABRIC, udp, tcp or
 * verbs; without it UDP. If a launcher offers none, every function of messages
 * gives HOLDFAST_NO_MESSAGES. The environment's HOLDFAST_UNREACHABLE, a time such as 30s, is how
 * long all networks to a process may be down until its requests end with HOLDFAST_UNREACHABLE;
 * without it they wait as long as the process is believed alive. A process that computes that long
 * without calling the library counts as unreachable, too. Who has been given up in this way hears
 * of it when a network is there again and both call the library: its requests with the other one
 * end so, too. What had come of the other one before can be received as if that had died.
 *
 * Threads: as everywhere, several threads at a time. A request is waited for by one of them. */

/* Something that has begun. A value: it may be copied, and becomes worth nothing when a function
 * has said how it ended; there is nothing to be freed. At most 4096 at a time. */
typedef struct holdfast_request {
  uint64_t number; /* 0: none */
} holdfast_request;

#ifdef __cplusplus
#define HOLDFAST_NO_REQUEST \
  holdfast_request {        \
    0                       \
  }
#else
#define HOLDFAST_NO_REQUEST ((holdfast_request){0})
#endif

#define HOLDFAST_ANY_SOURCE UINT32_MAX /* whoever sends it; this process too */
#define HOLDFAST_WHOLE_TAG UINT64_MAX  /* a mask: all bits count */

/* Which messages are meant: those of the context and the source whose tags have the same bits as
 * `tag` wherever `mask` has ones. */
typedef struct holdfast_pattern {
  uint32_t source; /* a process, or HOLDFAST_ANY_SOURCE */
  uint32_t context;
  uint64_t tag;
  uint64_t mask; /* 0: any tag */
} holdfast_pattern;

/* A message that was sent, was received, or waits to be. */
typedef struct holdfast_message {
  uint32_t process; /* its sender; of a send, to whom it went */
  uint32_t context;
  uint64_t tag;
  uint64_t bytes; /* its length, also where only a part had room */
} holdfast_message;

/* Equal parts at equal distances: `count` of them, `stride` bytes from one start to the next, which
 * may be negative. */
typedef struct holdfast_level {
  uint64_t count;
  int64_t stride;
} holdfast_level;

/* Where bytes of a message lie, when they do not lie in a row: blocks of `block_bytes`, the first
 * one at `start`, repeated as the first `depth` levels say, levels[0] innermost. With depth 0 it is
 * one block. So {&a[0][2], sizeof a[0][2], 1, {{rows, sizeof a[0]}}} is a column of a matrix, and a
 * part of a cube has depth 2. A segment without bytes may begin at NULL. What is sent is only read.
 */
typedef struct holdfast_segment {
  void* start;
  uint64_t block_bytes;
  uint32_t depth; /* 0 .. 3 */
  holdfast_level levels[3];
} holdfast_segment;

#define HOLDFAST_SEGMENTS_MAX 65536 /* of one message's memory */

/* Begins to send data[0 .. bytes-1] to process `to`: *request goes on. HOLDFAST_PEER_FAILED,
 * HOLDFAST_UNREACHABLE, HOLDFAST_BUSY: it has not begun, and the memory is the caller's.
 * HOLDFAST_BUSY: 4096 requests have begun and not been waited for to their ends; or this process
 * sends to itself and has not received what it keeps, which is 4096 messages at most of all
 * processes together. Wait for some request or receive something, as holdfast_error says, then try
 * again. `data` may be NULL with 0 bytes. */
HOLDFAST_API HOLDFAST_CHECKED holdfast_status holdfast_send_start(holdfast_job* job, uint32_t to,
                                                                  uint32_t context, uint64_t tag,
                                                                  const void* data, uint64_t bytes,
                                                                  holdfast_request* request);

/* Begins to receive the oldest message that the pattern means, or the next one to come, into
 * memory[0 .. room-1]. Otherwise as holdfast_send_start; HOLDFAST_PEER_FAILED: the source is gone
 * and no message of it waits. */
HOLDFAST_API HOLDFAST_CHECKED holdfast_status
holdfast_receive_start(holdfast_job* job, const holdfast_pattern* pattern, void* memory,
                       uint64_t room, holdfast_request* request);

/* holdfast_send_start and holdfast_receive_start of memory that is not in one piece: of the bytes
 * of segments[0 .. count-1], in this order. They are copied straight between there and the frames
 * that the network carries, so nothing has to be put together before. What is sent from segments
 * may be received in one piece, in other segments, and the other way round; it is the same message.
 * The array itself is the caller's again when the call returns. HOLDFAST_INVALID: a segment begins
 * at NULL and has bytes, there are more segments than HOLDFAST_SEGMENTS_MAX or more than 2^63 - 1
 * bytes, blocks lie outside the address space, or, to receive, overlap in a way that shows without
 * comparing all of them; for other overlaps one of the bytes stays. */
HOLDFAST_API HOLDFAST_CHECKED holdfast_status holdfast_send_segments_start(
    holdfast_job* job, uint32_t to, uint32_t context, uint64_t tag,
    const holdfast_segment* segments, uint64_t count, holdfast_request* request);
HOLDFAST_API HOLDFAST_CHECKED holdfast_status holdfast_receive_segments_start(
    holdfast_job* job, const holdfast_pattern* pattern, const holdfast_segment* segments,
    uint64_t count, holdfast_request* request);

/* Waits until the request has ended, at most `timeout_ms` (0: only looks; -1: as long as it takes).
 * HOLDFAST_TIMED_OUT: it goes on. Otherwise it is over, its memory is the caller's, *request is
 * HOLDFAST_NO_REQUEST, and the status says how it ended: HOLDFAST_OK, HOLDFAST_TRUNCATED (the
 * memory has the message's first bytes), HOLDFAST_CANCELLED, HOLDFAST_PEER_FAILED or
 * HOLDFAST_UNREACHABLE (the memory has nothing of meaning). *message is set after the first two;
 * `message` may be NULL. HOLDFAST_INVALID: there is no such request. */
HOLDFAST_API HOLDFAST_CHECKED holdfast_status holdfast_wait(holdfast_job* job,
                                                            holdfast_request* request,
                                                            int32_t timeout_ms,
                                                            holdfast_message* message);

/* holdfast_wait with 0 ms. */
HOLDFAST_API HOLDFAST_CHECKED holdfast_status holdfast_test(holdfast_job* job,
                                                            holdfast_request* request,
                                                            holdfast_message* message);

/* Takes a receive back that no message has met; others go on as if nothing had been said. How it
 * ends is still to be asked: HOLDFAST_CANCELLED if this was in time. HOLDFAST_INVALID: there is no
 * such request. */
HOLDFAST_API HOLDFAST_CHECKED holdfast_status holdfast_cancel(holdfast_job* job,
                                                              holdfast_request request);

/* Waits for a message that the pattern means, as long as holdfast_wait would, and leaves it where
 * it is: *message is the one that a receive of this pattern would get. `message` may be NULL.
 * HOLDFAST_TIMED_OUT: there is none. HOLDFAST_PEER_FAILED: nor will there be, the source is gone,
 * if it left a quarter of a second ago, and this process called for messages the first time as long
 * ago. Another thread may receive it first. */
HOLDFAST_API HOLDFAST_CHECKED holdfast_status holdfast_probe(holdfast_job* job,
                                                             const holdfast_pattern* pattern,
                                                             int32_t timeout_ms,
                                                             holdfast_message* message);

/* holdfast_send_start and holdfast_wait in one. After HOLDFAST_TIMED_OUT, and only then, *request
 * goes on, and the memory stays the library's; after anything else it is HOLDFAST_NO_REQUEST.
 * `request` may be NULL if `timeout_ms` is -1. */
HOLDFAST_API HOLDFAST_CHECKED holdfast_status holdfast_send(holdfast_job* job, uint32_t to,
                                                            uint32_t context, uint64_t tag,
                                                            const void* data, uint64_t bytes,
                                                            int32_t timeout_ms,
                                                            holdfast_request* request);

/* The same of holdfast_receive_start. */
HOLDFAST_API HOLDFAST_CHECKED holdfast_status
holdfast_receive(holdfast_job* job, const holdfast_pattern* pattern, void* memory, uint64_t room,
                 int32_t timeout_ms, holdfast_message* message, holdfast_request* request);

/* The same of holdfast_send_segments_start and holdfast_receive_segments_start. */
HOLDFAST_API HOLDFAST_CHECKED holdfast_status
holdfast_send_segments(holdfast_job* job, uint32_t to, uint32_t context, uint64_t tag,
                       const holdfast_segment* segments, uint64_t count, int32_t timeout_ms,
                       holdfast_request* request);
HOLDFAST_API HOLDFAST_CHECKED holdfast_status holdfast_receive_segments(
    holdfast_job* job, const holdfast_pattern* pattern, const holdfast_segment* segments,
    uint64_t count, int32_t timeout_ms, holdfast_message* message, holdfast_request* request);

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
