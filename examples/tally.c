/* Everybody sends a few results, each of another length, to process 0, which counts them and misses
 * nobody for ever: if a process dies, what it has sent counts, and the others are waited for.
 *
 *     holdfast launch -n 4 ./tally 20        and then, elsewhere: kill -9 of one of the pids
 */
#include <holdfast/holdfast.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* Messages of this program, in case a library of ours sends some too; and what they are. */
enum { CONTEXT = 1, RESULT = 1, LAST = 2 };

static int worker(holdfast_job *job, unsigned results) {
  for (unsigned i = 0; i < results; ++i) {
    thrd_sleep(&(struct timespec){.tv_nsec = 100000000}, NULL); /* the work */
    const size_t bytes = (size_t)i * 5000;
    char *result = malloc(bytes + 1);
    if (result == NULL) return 1;
    memset(result, 'r', bytes);
    const holdfast_status sent = holdfast_send(job, 0, CONTEXT, i + 1 == results ? LAST : RESULT,
                                               result, bytes, -1, NULL);
    free(result);
    if (sent != HOLDFAST_OK) {
      fprintf(stderr, "%s\n", holdfast_error());
      return 1;
    }
  }
  return 0;
}

/* Whatever that process sends, up to its last result or its end. */
static void count_results_of(holdfast_job *job, uint32_t process) {
  const holdfast_pattern any_result = {process, CONTEXT, 0, 0};
  holdfast_message message = {0, 0, 0, 0};
  uint64_t results = 0, bytes = 0;
  holdfast_status status = HOLDFAST_OK;
  while (status == HOLDFAST_OK && message.tag != LAST) {
    status = holdfast_probe(job, &any_result, -1, &message);
    if (status != HOLDFAST_OK) break;
    char *result = malloc(message.bytes + 1);
    if (result == NULL) break;
    status = holdfast_receive(job, &any_result, result, message.bytes, -1, NULL, NULL);
    free(result);
    if (status != HOLDFAST_OK) break;
    ++results;
    bytes += message.bytes;
  }
  printf("process %" PRIu32 " has sent %" PRIu64 " results of %" PRIu64 " bytes%s%s\n", process,
         results, bytes, status == HOLDFAST_OK ? "" : ", then: ",
         status == HOLDFAST_OK ? "" : holdfast_error());
  fflush(stdout);
}

int main(int count, char **words) {
  const unsigned results = count > 1 ? (unsigned)atoi(words[1]) : 10;
  holdfast_job *job = NULL;
  if (holdfast_join(10000, &job) != HOLDFAST_OK) {
    fprintf(stderr, "%s\n", holdfast_error());
    return 1;
  }
  const uint32_t processes = holdfast_processes(job);
  printf("process %" PRIu32 " of %" PRIu32 " has joined, pid %ld\n", holdfast_self(job), processes,
         (long)getpid());
  fflush(stdout);
  int status = 0;
  if (holdfast_self(job) != 0) {
    status = worker(job, results);
  } else {
    for (uint32_t process = 1; process < processes; ++process) count_results_of(job, process);
  }
  if (holdfast_leave(job, 1000) != HOLDFAST_OK) fprintf(stderr, "%s\n", holdfast_error());
  return status;
}
