// SPDX-License-Identifier: Apache-2.0
// Circuits of random topology with ideal diodes: voltages and currents as residuals, diodes as conditions.
#include <random>

#include "equation_model.h"

namespace orrery::equations {
namespace {

using program::Expr;

struct Branch {
  enum class Kind { resistor, source, diode } kind;
  int from, to;  // nodes; 0 is ground
  double value;  // ohms or volts
};

struct Circuit {
  int nodes = 1;
  std::vector<Branch> branches;
  int diodes() const {
    return static_cast<int>(
        std::count_if(branches.begin(), branches.end(), [](const Branch& b) { return b.kind == Branch::Kind::diode; }));
  }
};

// Every node hangs on earlier ones by a resistor, a diode or, seldom, a source; then come branches between any nodes.
Circuit random_circuit(std::mt19937& random) {
  Circuit circuit;
  std::uniform_real_distribution<double> unit(0, 1);
  circuit.nodes = 3 + static_cast<int>(random() % 6);
  const auto branch = [&](int a, int b, bool may_be_source) {
    const double dice = unit(random);
    const auto kind = dice < 0.45                   ? Branch::Kind::resistor
                      : dice < 0.6 && may_be_source ? Branch::Kind::source
                                                    : Branch::Kind::diode;
    const double value = kind == Branch::Kind::source ? 10 * unit(random) - 5 : 0.5 + 5 * unit(random);
    if (random() % 2 == 0) std::swap(a, b);
    circuit.branches.push_back({kind, a, b, value});
  };
  circuit.branches.push_back({Branch::Kind::source, 1, 0, 1 + 9 * unit(random)});
  for (int n = 2; n < circuit.nodes; ++n) branch(n, static_cast<int>(random() % n), true);
  const int more = 2 + static_cast<int>(random() % 6);
  for (int k = 0; k < more; ++k) {
    const int a = static_cast<int>(random() % circuit.nodes), b = static_cast<int>(random() % circuit.nodes);
    if (a != b) branch(a, b, false);
  }
  return circuit;
}

// Node voltages and branch currents with the diodes as given, by elimination with pivoting; false: singular.
// Sources are multiplied by `swing`.
bool solve_plainly(const Circuit& c, unsigned conducting, double swing, std::vector<double>& v,
                   std::vector<double>& i) {
  const std::size_t nodes = static_cast<std::size_t>(c.nodes) - 1, n = nodes + c.branches.size();
  std::vector<std::vector<double>> a(n, std::vector<double>(n + 1, 0.0));
  const auto voltage = [&](std::size_t row, int node, double factor) {
    if (node > 0) a[row][static_cast<std::size_t>(node) - 1] += factor;
  };
  unsigned diode = 0;
  for (std::size_t b = 0; b < c.branches.size(); ++b) {
    const Branch& branch = c.branches[b];
    const std::size_t row = nodes + b, current = nodes + b;
    if (branch.from > 0) a[static_cast<std::size_t>(branch.from) - 1][current] += 1;
    if (branch.to > 0) a[static_cast<std::size_t>(branch.to) - 1][current] -= 1;
    const bool off = branch.kind == Branch::Kind::diode && ((conducting >> diode++) & 1u) == 0;
    if (off) {
      a[row][current] = 1;
      continue;
    }
    voltage(row, branch.from, 1);
    voltage(row, branch.to, -1);
    if (branch.kind == Branch::Kind::resistor) a[row][current] = -branch.value;
    if (branch.kind == Branch::Kind::source) a[row][n] = swing * branch.value;
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t r = k + 1; r < n; ++r) {
      if (std::fabs(a[r][k]) > std::fabs(a[pivot][k])) pivot = r;
    }
    if (std::fabs(a[pivot][k]) < 1e-11) return false;
    std::swap(a[k], a[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == k) continue;
      const double factor = a[r][k] / a[k][k];
      for (std::size_t col = k; factor != 0 && col <= n; ++col) a[r][col] -= factor * a[k][col];
    }
  }
  v.assign(1, 0.0);
  i.clear();
  for (std::size_t k = 0; k < nodes; ++k) v.push_back(a[k][n] / a[k][k]);
  for (std::size_t k = nodes; k < n; ++k) i.push_back(a[k][n] / a[k][k]);
  return true;
}

// Kirchhoff's laws, the laws of the branches, and of each diode: no current backwards, no voltage forwards, not both.
bool is_solution(const Circuit& c, double swing, const std::vector<double>& v, const std::vector<double>& i,
                 double tolerance) {
  std::vector<double> sum(static_cast<std::size_t>(c.nodes), 0.0);
  for (std::size_t b = 0; b < c.branches.size(); ++b) {
    const Branch& branch = c.branches[b];
    sum[static_cast<std::size_t>(branch.from)] += i[b];
    sum[static_cast<std::size_t>(branch.to)] -= i[b];
    const double across = v[static_cast<std::size_t>(branch.from)] - v[static_cast<std::size_t>(branch.to)];
    switch (branch.kind) {
      case Branch::Kind::resistor:
        if (std::fabs(across - branch.value * i[b]) > tolerance) return false;
        break;
      case Branch::Kind::source:
        if (std::fabs(across - swing * branch.value) > tolerance) return false;
        break;
      case Branch::Kind::diode:
        if (i[b] < -tolerance || across > tolerance || std::min(std::fabs(i[b]), std::fabs(across)) > tolerance)
          return false;
        break;
    }
  }
  return std::all_of(sum.begin() + 1, sum.end(), [&](double s) { return std::fabs(s) < tolerance; });
}

bool has_solution(const Circuit& c, double swing = 1) {
  std::vector<double> v, i;
  for (unsigned pattern = 0; pattern < (1u << c.diodes()); ++pattern) {
    if (solve_plainly(c, pattern, swing, v, i) && is_solution(c, swing, v, i, 1e-9)) return true;
  }
  return false;
}

// As a library would state it. Of a diode s is its current where it conducts, and its voltage where it does not.
void state(const Circuit& c, EquationModel& m, Expr swing) {
  std::vector<Expr> voltage{m.number(0)};
  for (int n = 1; n < c.nodes; ++n) voltage.push_back(m.variable("v" + std::to_string(n)));
  std::vector<Expr> sum(static_cast<std::size_t>(c.nodes), m.number(0));
  for (std::size_t b = 0; b < c.branches.size(); ++b) {
    const Branch& branch = c.branches[b];
    const Expr current = m.variable("i" + std::to_string(b));
    const Expr across = voltage[static_cast<std::size_t>(branch.from)] - voltage[static_cast<std::size_t>(branch.to)];
    if (branch.kind == Branch::Kind::resistor) m.zero(across - branch.value * current);
    if (branch.kind == Branch::Kind::source) m.zero(across - branch.value * swing);
    if (branch.kind == Branch::Kind::diode) {
      const Expr s = m.variable("s" + std::to_string(b));
      const Expr conducts = s > 0.0;
      m.zero(across - select(conducts, m.number(0), s));
      m.zero(current - select(conducts, s, m.number(0)));
    }
    sum[static_cast<std::size_t>(branch.from)] = sum[static_cast<std::size_t>(branch.from)] + current;
    sum[static_cast<std::size_t>(branch.to)] = sum[static_cast<std::size_t>(branch.to)] - current;
    m.show("i" + std::to_string(b), current);
  }
  for (int n = 1; n < c.nodes; ++n) {
    m.zero(sum[static_cast<std::size_t>(n)]);
    m.show("v" + std::to_string(n), voltage[static_cast<std::size_t>(n)]);
  }
}

// A solution, or the conflict by name; never a wrong state.
void check_circuits(int count) {
  std::mt19937 random(17);
  int solved = 0, named = 0, structural = 0;
  for (int round = 0; round < count; ++round) {
    const Circuit circuit = random_circuit(random);
    EquationModel m;
    state(circuit, m, m.number(1));
    if (!m.close()) {  // a source across others, a node that nothing feeds: known before a run
      ASSERT_NE(to_text(m.diagnostics), "") << round;
      ASSERT_FALSE(has_solution(circuit)) << round << to_text(m.diagnostics);
      ++structural;
      continue;
    }
    const auto run = m.run("dopri", 0, 1e-6);
    if (run.end != sim::End::reached_stop) {
      const bool told = run.messages.find("modes-do-not-settle") != std::string::npos ||
                        run.messages.find("loop-not-solved") != std::string::npos;
      ASSERT_TRUE(told) << round << run.messages;
      ASSERT_FALSE(has_solution(circuit)) << round << run.messages;
      ++named;
      continue;
    }
    std::vector<double> v{0}, i;
    for (int n = 1; n < circuit.nodes; ++n) v.push_back(run.last("v" + std::to_string(n)));
    for (std::size_t b = 0; b < circuit.branches.size(); ++b) i.push_back(run.last("i" + std::to_string(b)));
    ASSERT_TRUE(is_solution(circuit, 1, v, i, 1e-6)) << round;
    ++solved;
  }
  EXPECT_GT(solved, count / 2);
  testing::Test::RecordProperty("solved", solved);
  testing::Test::RecordProperty("named", named);
  testing::Test::RecordProperty("structural", structural);
}

TEST(DiodeCircuits, AreSolvedOrTheConflictIsNamed) { check_circuits(1000); }

// Sources that swing around zero: diodes open and close, and every row is a solution of its time. Where a run ends
// early, no choice of diodes fits just after it.
TEST(DiodeCircuits, StaySolvedWhileSourcesSwing) {
  std::mt19937 random(23);
  int whole = 0, ended = 0;
  for (int round = 0; round < 200; ++round) {
    const Circuit circuit = random_circuit(random);
    EquationModel m;
    state(circuit, m, program::apply(program::Op::cos, 5.0 * m.time() + 0.3));
    const Expr x = m.variable("x", 1, true);  // so that there is something to integrate
    m.zero(m.der("x") + x);
    m.show("time", m.time());
    if (!m.close()) continue;
    const auto run = m.run("dopri", 2, 1e-6);
    if (run.time.empty()) continue;  // no consistent start
    for (std::size_t row = 0; row < run.time.size(); ++row) {
      const double swing = std::cos(5 * run.columns.at("time")[row] + 0.3);
      std::vector<double> v{0}, i;
      for (int n = 1; n < circuit.nodes; ++n) v.push_back(run.columns.at("v" + std::to_string(n))[row]);
      for (std::size_t b = 0; b < circuit.branches.size(); ++b)
        i.push_back(run.columns.at("i" + std::to_string(b))[row]);
      ASSERT_TRUE(is_solution(circuit, swing, v, i, 1e-6)) << round << " at " << run.time[row];
    }
    if (run.end == sim::End::reached_stop) {
      ++whole;
      continue;
    }
    ++ended;
    const bool told = run.messages.find("modes-do-not-settle") != std::string::npos ||
                      run.messages.find("loop-not-solved") != std::string::npos;
    ASSERT_TRUE(told) << round << run.messages;
    ASSERT_FALSE(has_solution(circuit, std::cos(5 * (run.time.back() + 1e-6) + 0.3))) << round << run.messages;
  }
  EXPECT_GT(whole, 50);
  testing::Test::RecordProperty("whole", whole);
  testing::Test::RecordProperty("ended", ended);
}

}  // namespace
}  // namespace orrery::equations
