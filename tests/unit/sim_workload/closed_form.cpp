// One function a benchmark; see the header.
#include "tests/unit/sim_workload/closed_form.hpp"

#include <array>

#include "tests/unit/sim_workload/jobs.hpp"

namespace holdfast::sim {
namespace {

using u64 = std::uint64_t;

u64 log_up(u64 n) {
  u64 log = 0;
  while ((u64{1} << log) < n) ++log;
  return log;
}

// Collective operations of p processes, the numbers of the textbook.
struct Collectives {
  u64 p;
  Totals& to;

  void tree(u64 bytes, u64 times = 1) { to.add(p - 1, (p - 1) * bytes, times); }  // either way
  void all_reduce(u64 bytes, u64 times = 1) {
    u64 power = 1, log = 0;
    for (; 2 * power <= p; power *= 2) ++log;
    const u64 messages = power * log + 2 * (p - power);
    to.add(messages, messages * bytes, times);
  }
  void barrier() { to.add(p * log_up(p), 0); }
};

// Within groups of g out of p processes, blocks of so many bytes.
void all_to_all(u64 p, u64 g, u64 block, u64 times, Totals& to) {
  if (block <= 256) {
    to.add(p * log_up(g), p * log_up(g) * (g / 2) * block, times);
  } else {
    to.add(p * (g - 1), p * (g - 1) * block, times);
  }
}

// BT, SP: p layers of cells in each direction, p - 1 interfaces between them, each as large as the
// cube's cross section; five variables of 8 bytes, two layers deep, both ways. A sweep crosses each
// interface there and back: BT with 5 × 5 + 5 and 5 numbers a line of the largest cell, SP with 22
// and 10 a line inside the cube.
void multipartition(const Job& job, u64 iterations, Totals& to) {
  const u64 n = size_in_reports(job.benchmark, job.problem_class).points;
  u64 p = 1;
  while (p * p < job.processes) ++p;
  const u64 faces = p > 1 ? 6 * job.processes : 0;
  const u64 face_bytes = 3 * 2 * (p - 1) * n * n * 5 * 2 * 8;
  const u64 sweeps = 3 * 2 * (p - 1) * job.processes;
  const u64 largest = n / p + 1;
  const u64 sweep_bytes = job.benchmark == Benchmark::bt
                              ? 3 * (p - 1) * job.processes * largest * largest * (30 + 5) * 8
                              : 3 * (p - 1) * (n - 2) * (n - 2) * (22 + 10) * 8;
  to.add(faces + sweeps, face_bytes + sweep_bytes, iterations + 1);
  to.add(faces, face_bytes);
  Collectives all{job.processes, to};
  for (const u64 bytes : {4u, 8u, 12u, 4u}) all.tree(bytes);
  if (job.benchmark == Benchmark::bt) all.tree(4, 2);
  all.barrier();
  all.all_reduce(40, 2);
  all.tree(8);
}

// LU: x × y processes. An interface between two rows is crossed by n points of each plane.
void wavefront(const Job& job, u64 iterations, Totals& to) {
  const u64 n = size_in_reports(job.benchmark, job.problem_class).points;
  u64 y = 1;
  for (u64 m = 1; m * m <= job.processes; ++m)
    if (job.processes % m == 0) y = m;
  const u64 x = job.processes / y;
  const u64 neighbours = (x - 1) * y + x * (y - 1), interfaces = (x - 1) + (y - 1);
  // The lower and the upper sweep: five numbers of each point inside.
  to.add(2 * neighbours, 2 * interfaces * 5 * (n - 2) * 8, (n - 2) * (iterations + 1));
  // Two layers of everything, both ways: after each iteration, and three times before.
  to.add(2 * neighbours, 2 * interfaces * 10 * n * n * 8, iterations + 1 + 3);
  // The surface integral: edges of two planes one way, those along y with their ends; then lines in
  // z on both outer columns and on both outer rows.
  to.add(neighbours, 2 * 8 * (n * (y - 1) + (n + 2 * y) * (x - 1)));
  to.add(2 * interfaces, 2 * interfaces * n * 8);
  Collectives all{job.processes, to};
  for (const u64 bytes : {4u, 4u, 4u, 8u, 8u, 40u, 4u, 4u, 4u, 4u}) all.tree(bytes);
  all.all_reduce(40, 5);
  all.all_reduce(8, 5);
  all.barrier();
}

// CG: 26 products of matrix and vector, 52 sums of a scalar and one of two. Each round of a product
// moves a whole vector a column (or pair of columns), and so does the transposition, but for the
// diagonal.
void conjugate_gradient(const Job& job, u64 iterations, Totals& to) {
  const u64 n = size_in_reports(job.benchmark, job.problem_class).points;
  const u64 log = log_up(job.processes), p = job.processes;
  const u64 rows = u64{1} << (log / 2), columns = p / rows, rounds = log_up(columns);
  const u64 vectors = columns == rows ? columns : columns / 2;
  const u64 diagonal = columns == rows ? rows : 2 * rows;
  if (p > 1) {
    to.add(26 * p * (rounds + 1) + 53 * p * rounds,
           26 * 8 * n * (vectors * rounds + vectors - 1) + p * rounds * (52 * 8 + 16),
           iterations + 1);
    to.to_itself += 26 * diagonal * (iterations + 1);
  }
  Collectives all{p, to};
  all.tree(4);
  all.barrier();
  all.tree(8);
}

// MG on one level: six messages of each process that has points; a side of one process sends to
// itself.
void exchange_planes(const std::array<u64, 3>& grid, u64 points, u64 times, Totals& to) {
  std::array<u64, 3> side{};
  u64 active = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    side[axis] = points > grid[axis] ? points / grid[axis] : 1;
    active *= points < grid[axis] ? points : grid[axis];
  }
  const std::array<u64, 3> plane = {side[1] * side[2], (side[0] + 2) * side[2],
                                    (side[0] + 2) * (side[1] + 2)};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (grid[axis] > 1) {
      to.add(2 * active, 2 * active * plane[axis] * 8, times);
    } else {
      to.add(2 * active, 0, times);
      to.to_itself += 2 * active * times;
    }
  }
}

// On the way up to a level with more processes than points on the one below, along an axis: half of
// those with points give to the others, three planes with all edges, whatever there is across.
void expand(const std::array<u64, 3>& grid, u64 points, u64 times, Totals& to) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (grid[axis] <= points / 2) continue;
    const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
    const u64 across = (points + 2 * grid[b]) * (points + 2 * grid[c]);
    to.add(points / 2 * grid[b] * grid[c] * 2, points / 2 * 3 * across * 8, times);
  }
}

void multigrid(const Job& job, u64 iterations, Totals& to) {
  const u64 n = size_in_reports(job.benchmark, job.problem_class).points;
  const u64 log = log_up(job.processes), x = log / 3, y = (log - x) / 2;
  const std::array<u64, 3> grid = {u64{1} << x, u64{1} << y, u64{1} << (log - x - y)};
  if (job.processes > 1) {
    for (u64 points = n; points >= 2; points /= 2) {
      const u64 times = points == 2 ? 2 : 3;
      exchange_planes(grid, points, times * (iterations + 1) + (points == n ? 4 : 0), to);
      if (points > 2) expand(grid, points, iterations + 1, to);
    }
  }
  Collectives all{job.processes, to};
  all.tree(4, 6);
  all.tree(32);
  all.all_reduce(8, 2 * 20 + 8);
  all.all_reduce(16, 2 * 20);
  all.barrier();
  all.tree(8);
}

// FT: a transposition of all the points, or two, for the transform that is not timed, the first
// one, and each iteration.
void transpose(const Job& job, u64 iterations, Totals& to) {
  constexpr std::array<std::array<u64, 3>, 6> kBoxes = {{{64, 64, 64},
                                                         {128, 128, 32},
                                                         {256, 256, 128},
                                                         {512, 256, 256},
                                                         {512, 512, 512},
                                                         {2048, 1024, 1024}}};
  const std::array<u64, 3> box = kBoxes[static_cast<std::size_t>(job.problem_class)];
  const u64 p = job.processes, own = box[0] * box[1] * box[2] / p * 16;
  const u64 rows = p <= box[2] ? 1 : box[2], columns = p / rows;
  if (columns > 1) all_to_all(p, columns, own / columns, iterations + 2, to);
  if (rows > 1) all_to_all(p, rows, own / rows, iterations + 2, to);
  Collectives all{p, to};
  all.tree(4, 5);
  all.barrier();
  all.tree(16, iterations);
}

// IS: sums over the buckets, numbers of keys, and the keys. Whoever gets which: each process sends
// all that it has, but for what it keeps, and what all keep together is as much as one has.
void bucket_sort(const Job& job, u64 iterations, Totals& to) {
  constexpr std::array<u64, 6> kLogKeys = {16, 20, 23, 25, 27, 31};
  const u64 p = job.processes;
  const u64 keys = (u64{1} << kLogKeys[static_cast<std::size_t>(job.problem_class)]) / p;
  const u64 buckets = job.problem_class == ProblemClass::s ? 512 : 1024;
  Collectives all{p, to};
  all.tree(4);
  all.all_reduce((buckets + 5) * 4, iterations + 1);
  all_to_all(p, p, 4, iterations + 1, to);
  to.add(p * (p - 1), (p - 1) * keys * 4, iterations + 1);
  all.tree(8);
  to.add(p - 1, (p - 1) * 4);
  all.tree(4);
}

}  // namespace

Totals closed_form(const Job& job, std::uint64_t iterations) {
  Totals totals;
  switch (job.benchmark) {
    case Benchmark::bt:
    case Benchmark::sp:
      multipartition(job, iterations, totals);
      break;
    case Benchmark::lu:
      wavefront(job, iterations, totals);
      break;
    case Benchmark::cg:
      conjugate_gradient(job, iterations, totals);
      break;
    case Benchmark::mg:
      multigrid(job, iterations, totals);
      break;
    case Benchmark::ft:
      transpose(job, iterations, totals);
      break;
    case Benchmark::is:
      bucket_sort(job, iterations, totals);
      break;
  }
  return totals;
}

}  // namespace holdfast::sim
