/* Joins its job and prints each verdict as it comes, until nobody else is left.
 *
 *     holdfast launch -n 4 ./verdicts        and then, elsewhere: kill -9 of one of the pids
 */
#include <holdfast/holdfast.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static uint32_t count_live(const holdfast_job *job) {
  const uint32_t processes = holdfast_processes(job);
  holdfast_member *members = calloc(processes, sizeof *members);
  uint32_t live = 0;
  if (members != NULL && holdfast_view(job, members, processes, NULL) == HOLDFAST_OK) {
    for (uint32_t i = 0; i < processes; ++i) live += members[i].state < HOLDFAST_FAILED;
  }
  free(members);
  return live;
}

int main(void) {
  holdfast_job *job = NULL;
  if (holdfast_join(10000, &job) != HOLDFAST_OK) {
    fprintf(stderr, "%s\n", holdfast_error());
    return 1;
  }
  const uint32_t self = holdfast_self(job);
  printf("process %" PRIu32 " of %" PRIu32 " has joined, pid %ld\n", self, holdfast_processes(job),
         (long)getpid());
  fflush(stdout);
  while (count_live(job) > 1) {
    holdfast_verdict verdict;
    if (holdfast_next_verdict(job, -1, &verdict) != HOLDFAST_OK) break;
    printf("process %" PRIu32 " hears: process %" PRIu32 " %s\n", self, verdict.member.process,
           holdfast_state_name(verdict.member.state));
    fflush(stdout);
  }
  if (holdfast_leave(job, 1000) != HOLDFAST_OK) fprintf(stderr, "%s\n", holdfast_error());
  return 0;
}
