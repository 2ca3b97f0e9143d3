// SPDX-License-Identifier: Apache-2.0
// Sweeps past one process: ranks of MPI, tasks of Slurm, parts made by hand; each is to write the bytes of one process.
#include <gtest/gtest.h>

#include <algorithm>

#include "command_line.h"

namespace orrery::tests::places {
namespace {

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

class SweepPlaces : public CommandLine {
 protected:
  // Runs of some milliseconds each.
  std::vector<std::string> words(const std::string& out, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {
        "sweep", example("lorenz"), "--vary", "rho=linspace(20,30,240)", "--rtol", "1e-9", "--quiet", "--stop",
        "60",    "--out",           file(out)};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  void make_alone() { ASSERT_EQ(orrery(words("alone.csv")).code, 0) << read(file("stderr.txt")); }
  void expect_same(const std::string& out) {
    EXPECT_TRUE(read(file(out)) == read(file("alone.csv")));
    for (const auto& entry : fs::directory_iterator(folder_))
      EXPECT_EQ(entry.path().string().find(out + ".runs"), std::string::npos) << entry.path();
  }
  // In a shell, in the background; what it says goes to a file.
  pid_t start_shell(const std::string& command, const std::string& said) const {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("ORRERY_CACHE", file("cache").c_str(), 1);
      const std::string line = "exec " + command + " > " + file(said) + " 2>&1";
      ::execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    return child;
  }
  static int wait_for(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string typed(const std::vector<std::string>& arguments) const {
    std::string line = orrery_binary();
    for (const std::string& word : arguments) line += " '" + word + "'";
    return line;
  }
  static bool eventually(const std::function<bool()>& what) {
    for (int k = 0; k < 600; ++k) {
      if (what()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  }
  std::uintmax_t size_of(const std::string& name) const {
    std::error_code error;
    const auto size = fs::file_size(file(name), error);
    return error ? 0 : size;
  }
};

TEST_F(SweepPlaces, PartsMadeByHandArePutTogether) {
  make_alone();
  for (const char* part : {"2/3", "0/3", "1/3"}) EXPECT_EQ(orrery(words("r.csv", {"--part", part})).code, 0);
  EXPECT_FALSE(fs::exists(file("r.csv")));
  const Outcome end = orrery(words("r.csv"));
  EXPECT_EQ(end.code, 0) << end.err;
  expect_same("r.csv");
  EXPECT_EQ(orrery(words("r.csv", {"--part", "3/3"})).code, 2);
  EXPECT_EQ(orrery(words("r.csv", {"--part", "0/3", "--mpi"})).code, 1);
}

class SweepRanks : public SweepPlaces {
 protected:
  void SetUp() override {
    SweepPlaces::SetUp();
    const std::string library = fs::path(orrery_binary()).parent_path() / "orrery_mpi.so";
    if (!is_installed("mpirun") || !fs::exists(library)) GTEST_SKIP() << "there is no MPI here";
  }
  std::string four(const std::string& out) const {
    return "mpirun --oversubscribe --allow-run-as-root -n 4 " + typed(words(out, {"--mpi"}));
  }
  // The process of this rank.
  pid_t rank(int number, const std::string& out) const {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
      const std::string name = entry.path().filename();
      if (name.empty() || name[0] < '1' || name[0] > '9') continue;
      if (read(entry.path() / "cmdline").find(file(out)) == std::string::npos) continue;
      const std::string surroundings = read(entry.path() / "environ");
      if (surroundings.find("OMPI_COMM_WORLD_RANK=" + std::to_string(number) + '\0') != std::string::npos)
        return std::stoi(name);
    }
    return 0;
  }
};

TEST_F(SweepRanks, WriteTheBytesOfOneProcess) {
  make_alone();
  ASSERT_EQ(wait_for(start_shell(four("r.csv"), "said.txt")), 0) << read(file("said.txt"));
  expect_same("r.csv");
}

TEST_F(SweepRanks, AKilledRankEndsTheJobAndTheCommandGoesOn) {
  make_alone();
  const pid_t job = start_shell(four("r.csv"), "said.txt");
  ASSERT_TRUE(eventually([&] { return size_of("r.csv.runs.2") > 200; })) << read(file("said.txt"));
  const pid_t victim = rank(2, "r.csv");
  ASSERT_GT(victim, 0);
  ::kill(victim, SIGKILL);
  EXPECT_NE(wait_for(job), 0);
  EXPECT_FALSE(fs::exists(file("r.csv")));
  EXPECT_GT(size_of("r.csv.runs.1") + size_of("r.csv.runs.2") + size_of("r.csv.runs.3"), 0u);
  ASSERT_EQ(wait_for(start_shell(four("r.csv"), "said.txt")), 0) << read(file("said.txt"));
  expect_same("r.csv");
}

TEST_F(SweepRanks, TellOnceWhatIsWrong) {
  std::vector<std::string> wrong = words("r.csv", {"--mpi", "--vary", "nothing=[1 2]"});
  const std::string command = "timeout 60 mpirun --oversubscribe --allow-run-as-root -n 3 " + typed(wrong);
  EXPECT_EQ(wait_for(start_shell(command, "said.txt")), 1);
  EXPECT_NE(read(file("said.txt")).find("unknown-parameter"), std::string::npos) << read(file("said.txt"));
}

// A cluster of one node, with configuration, ports and state of its own.
class SweepTasks : public SweepPlaces {
 protected:
  void SetUp() override {
    SweepPlaces::SetUp();
    if (!is_installed("sbatch") || !is_installed("slurmctld") || !is_installed("slurmd") || ::geteuid() != 0)
      GTEST_SKIP() << "there is no Slurm here, or nobody who may start it";
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    const std::string host = std::string(name).substr(0, std::string(name).find('.'));
    const int port = 20000 + ::getpid() % 20000;
    fs::create_directories(file("state"));
    fs::create_directories(file("spool"));
    std::ostringstream text;
    text << "ClusterName=test\nSlurmctldHost=" << host << "(127.0.0.1)\nSlurmUser=root\nSlurmdUser=root\n"
         << "AuthType=auth/none\nCredType=cred/none\nAuthInfo=cred_expire=5\nSlurmctldPort=" << port
         << "\nSlurmdPort=" << port + 1 << "\nStateSaveLocation=" << file("state")
         << "\nSlurmdSpoolDir=" << file("spool") << "\nSlurmctldPidFile=" << file("ctld.pid")
         << "\nSlurmdPidFile=" << file("d.pid")
         << "\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSwitchType=switch/none\nMpiDefault=none\n"
         << "ReturnToService=2\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nJobRequeue=1\n"
         << "NodeName=" << host << " NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN\nPartitionName=all Nodes=" << host
         << " Default=YES State=UP\n";
    write("slurm.conf", text.str());
    ::setenv("SLURM_CONF", file("slurm.conf").c_str(), 1);
    controller_ = start_shell("slurmctld -D", "ctld.txt");
    node_ = start_shell("slurmd -D", "d.txt");
    if (!eventually([&] { return std::system("sinfo -h -o %t 2>/dev/null | grep -q idle") == 0; }))
      GTEST_SKIP() << "Slurm does not start here: " << read(file("ctld.txt")) << read(file("d.txt"));
  }
  void TearDown() override {
    for (const pid_t daemon : {node_, controller_}) {
      if (daemon <= 0) continue;
      ::kill(daemon, SIGTERM);
      wait_for(daemon);
    }
    ::unsetenv("SLURM_CONF");
    SweepPlaces::TearDown();
  }
  pid_t controller_ = 0, node_ = 0;
};

TEST_F(SweepTasks, OfAJobArrayAreRequeuedAndCollected) {
  make_alone();
  const pid_t sweep = start_shell(typed(words("r.csv", {"--slurm", "3"})), "said.txt");
  ASSERT_TRUE(eventually([&] { return size_of("r.csv.runs.0") > 200 && size_of("r.csv.slurm.job") > 0; }))
      << read(file("said.txt"));
  std::string job = read(file("r.csv.slurm.job"));
  job.erase(job.find_last_not_of("\n") + 1);
  EXPECT_EQ(std::system(("scontrol requeue " + job + "_0").c_str()), 0);
  EXPECT_EQ(wait_for(sweep), 0) << read(file("said.txt"));
  expect_same("r.csv");
}

TEST_F(SweepTasks, ThatAreCancelledAreMadeByTheSameCommand) {
  make_alone();
  const pid_t sweep = start_shell(typed(words("r.csv", {"--slurm", "2"})), "said.txt");
  ASSERT_TRUE(eventually([&] { return size_of("r.csv.runs.1") > 200 && size_of("r.csv.slurm.job") > 0; }))
      << read(file("said.txt"));
  std::string job = read(file("r.csv.slurm.job"));
  job.erase(job.find_last_not_of("\n") + 1);
  EXPECT_EQ(std::system(("scancel " + job).c_str()), 0);
  EXPECT_EQ(wait_for(sweep), 1);
  EXPECT_NE(read(file("said.txt")).find("sweep-incomplete"), std::string::npos) << read(file("said.txt"));
  const auto kept = size_of("r.csv.runs.1");
  EXPECT_GT(kept, 200u);
  EXPECT_EQ(wait_for(start_shell(typed(words("r.csv", {"--slurm", "2"})), "said.txt")), 0) << read(file("said.txt"));
  expect_same("r.csv");
}

TEST_F(SweepPlaces, NeedAPlaceForTheirParts) {
  const Outcome end = orrery({"sweep", example("lorenz"), "--vary", "rho=[20 21]", "--slurm", "2"});
  EXPECT_EQ(end.code, 1);
  EXPECT_NE(end.err.find("--out"), std::string::npos) << end.err;
}

}  // namespace
}  // namespace orrery::tests::places
