/* A strip of a grid for each process, in a ring: heat spreads from column to column, so before each
 * step neighbours need each other's border columns. A column does not lie in one piece, and is sent
 * and received where it is.
 *
 *     holdfast launch -n 4 ./columns 100
 */
#include <holdfast/holdfast.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Messages of this program, in case a library of ours sends some too; and what they are. */
enum { CONTEXT = 1, TO_THE_LEFT = 1, TO_THE_RIGHT = 2, HEAT = 3 };

/* The first and the last column are copies of the neighbours' nearest ones. */
enum { ROWS = 500, OWN = 30, COLUMNS = OWN + 2 };
static double grid[ROWS][COLUMNS];

/* One number of each row. */
static holdfast_segment column(int number) {
  return (holdfast_segment){&grid[0][number], sizeof(double), 1, {{ROWS, sizeof grid[0]}}};
}

static holdfast_status swap_borders(holdfast_job *job, uint32_t left, uint32_t right) {
  const holdfast_segment first = column(1), last = column(OWN);
  const holdfast_segment of_left = column(0), of_right = column(OWN + 1);
  const holdfast_pattern from_left = {left, CONTEXT, TO_THE_RIGHT, HOLDFAST_WHOLE_TAG};
  const holdfast_pattern from_right = {right, CONTEXT, TO_THE_LEFT, HOLDFAST_WHOLE_TAG};
  holdfast_request all[4];
  holdfast_status status = holdfast_receive_segments_start(job, &from_left, &of_left, 1, &all[0]);
  if (status != HOLDFAST_OK) return status;
  status = holdfast_receive_segments_start(job, &from_right, &of_right, 1, &all[1]);
  if (status != HOLDFAST_OK) return status;
  status = holdfast_send_segments_start(job, left, CONTEXT, TO_THE_LEFT, &first, 1, &all[2]);
  if (status != HOLDFAST_OK) return status;
  status = holdfast_send_segments_start(job, right, CONTEXT, TO_THE_RIGHT, &last, 1, &all[3]);
  for (int i = 0; i < 4 && status == HOLDFAST_OK; ++i) {
    status = holdfast_wait(job, &all[i], -1, NULL);
  }
  return status;
}

static void spread(void) {
  static double before[ROWS][COLUMNS];
  memcpy(before, grid, sizeof grid);
  for (int row = 0; row < ROWS; ++row) {
    for (int i = 1; i <= OWN; ++i) {
      grid[row][i] = (before[row][i - 1] + 2 * before[row][i] + before[row][i + 1]) / 4;
    }
  }
}

/* Heat goes from strip to strip, and none is lost. */
static holdfast_status add_up(holdfast_job *job) {
  const uint32_t self = holdfast_self(job);
  double heat = 0, all = 0;
  for (int row = 0; row < ROWS; ++row) {
    for (int i = 1; i <= OWN; ++i) heat += grid[row][i];
  }
  printf("process %" PRIu32 " has a heat of %.3f\n", self, heat);
  fflush(stdout);
  if (self != 0) return holdfast_send(job, 0, CONTEXT, HEAT, &heat, sizeof heat, -1, NULL);
  all = heat;
  for (uint32_t process = 1; process < holdfast_processes(job); ++process) {
    const holdfast_pattern its_heat = {process, CONTEXT, HEAT, HOLDFAST_WHOLE_TAG};
    const holdfast_status status =
        holdfast_receive(job, &its_heat, &heat, sizeof heat, -1, NULL, NULL);
    if (status != HOLDFAST_OK) return status;
    all += heat;
  }
  printf("the heat of all is %.3f\n", all);
  return HOLDFAST_OK;
}

int main(int count, char **words) {
  const int steps = count > 1 ? atoi(words[1]) : 100;
  holdfast_job *job = NULL;
  if (holdfast_join(10000, &job) != HOLDFAST_OK) {
    fprintf(stderr, "%s\n", holdfast_error());
    return 1;
  }
  const uint32_t self = holdfast_self(job), processes = holdfast_processes(job);
  printf("process %" PRIu32 " of %" PRIu32 " has joined, pid %ld\n", self, processes,
         (long)getpid());
  fflush(stdout);
  for (int row = 0; self == 0 && row < ROWS; ++row) grid[row][OWN] = 1000;

  holdfast_status status = HOLDFAST_OK;
  for (int step = 0; step < steps && status == HOLDFAST_OK; ++step) {
    status = swap_borders(job, (self + processes - 1) % processes, (self + 1) % processes);
    spread();
  }
  if (status == HOLDFAST_OK) status = add_up(job);
  if (status != HOLDFAST_OK) fprintf(stderr, "%s\n", holdfast_error());
  /* What still goes on ends with it. */
  if (holdfast_leave(job, 1000) != HOLDFAST_OK) fprintf(stderr, "%s\n", holdfast_error());
  return status == HOLDFAST_OK ? 0 : 1;
}
