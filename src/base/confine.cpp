// SPDX-License-Identifier: Apache-2.0
// System calls without a library: the headers of the kernel, and a filter of a few comparisons.
#include "base/confine.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__linux__) && __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#define ORRERY_HAS_LANDLOCK 1
#endif
#if defined(__x86_64__) && __has_include(<linux/seccomp.h>)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cerrno>
#include <cstddef>
#define ORRERY_HAS_SECCOMP 1
#endif

namespace orrery {
namespace {

#if defined(ORRERY_HAS_LANDLOCK)

constexpr __u64 reading = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr __u64 writing = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                          LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
                          LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                          LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

// Of kernels that are younger than the headers may be: what the structure has by now, and bits of it.
struct Ruleset {
  __u64 files = 0, network = 0, scoped = 0;
};
constexpr __u64 refer = __u64{1} << 13, truncate_files = __u64{1} << 14;  // since versions 2 and 3
constexpr __u64 abstract_sockets = 1, signals_outside = 2;                // since version 6

bool allow_below(int rules, const char* folder, __u64 access) {
  landlock_path_beneath_attr rule = {};
  rule.allowed_access = access;
  rule.parent_fd = ::open(folder, O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0) return false;
  const bool added = ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  ::close(rule.parent_fd);
  return added;
}

bool confine_files(const Confinement& limits) {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  Ruleset handled;
  handled.files = reading | writing | (version >= 2 ? refer : 0) | (version >= 3 ? truncate_files : 0);
  if (version >= 6) handled.scoped = abstract_sockets | signals_outside;
  const std::size_t size = version >= 6 ? sizeof handled : sizeof handled.files;
  const int rules = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, size, 0));
  if (rules < 0) return false;
  if (!limits.reads_nothing) allow_below(rules, "/", reading);
  for (const std::string& folder : limits.writable) allow_below(rules, folder.c_str(), handled.files);
  if (!limits.writable.empty())
    allow_below(rules, "/dev", reading | LANDLOCK_ACCESS_FS_WRITE_FILE | (handled.files & truncate_files));
  const bool done = ::syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  ::close(rules);
  return done;
}

#else

bool confine_files(const Confinement&) { return false; }

#endif

#if defined(ORRERY_HAS_SECCOMP)

class CallFilter {
 public:
  CallFilter() {
    load(offsetof(seccomp_data, arch));
    jump_unless(AUDIT_ARCH_X86_64, 1);  // calls of another machine are refused as a whole
    add(BPF_JMP | BPF_JA, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    load(offsetof(seccomp_data, nr));
    code_.push_back({BPF_JMP | BPF_JGE | BPF_K, 0, 1, 0x40000000});  // the same calls by their numbers of x32
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  }

  void refuse(long call) {
    load(offsetof(seccomp_data, nr));
    jump_unless(static_cast<unsigned>(call), 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  }
  // The call with this number, of 32 bits, as one of its arguments, from 0.
  void refuse(long call, int argument, unsigned number) {
    load(offsetof(seccomp_data, nr));
    jump_unless(static_cast<unsigned>(call), 3);
    load_argument(argument);
    jump_unless(number, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  }
  // The call with any of these bits in an argument.
  void refuse_bits(long call, int argument, unsigned bits) {
    load(offsetof(seccomp_data, nr));
    jump_unless(static_cast<unsigned>(call), 3);
    load_argument(argument);
    code_.push_back({BPF_JMP | BPF_JSET | BPF_K, 0, 1, bits});
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  }

  bool install() {
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  void add(int operation, unsigned value) { code_.push_back({static_cast<__u16>(operation), 0, 0, value}); }
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset)); }
  void load_argument(int k) {  // its lower half
    load(offsetof(seccomp_data, args) + static_cast<std::size_t>(k) * sizeof(__u64));
  }
  void jump_unless(unsigned value, int over) {
    code_.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, static_cast<__u8>(over), value});
  }
  std::vector<sock_filter> code_;
};

bool confine_calls(const Confinement& limits) {
  CallFilter filter;
  for (const long call :
       {SYS_ptrace, SYS_process_vm_writev, SYS_process_vm_readv, SYS_mount, SYS_umount2, SYS_reboot, SYS_kexec_load,
        SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_bpf, SYS_perf_event_open, SYS_pidfd_open,
        SYS_pidfd_send_signal, SYS_pidfd_getfd, SYS_setns, SYS_open_by_handle_at, SYS_io_uring_setup, SYS_tkill,
        // What outlives the process.
        SYS_shmget, SYS_semget, SYS_msgget, SYS_mq_open}) {
    filter.refuse(call);
  }
  filter.refuse(SYS_ioctl, 1, TIOCSTI);  // characters as if they were typed at the terminal
  filter.refuse(SYS_ioctl, 1, TIOCLINUX);
  for (const long call : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo}) {
    for (const pid_t process : limits.protect) {
      filter.refuse(call, 0, static_cast<unsigned>(process));
      filter.refuse(call, 0, static_cast<unsigned>(-process));
    }
    if (!limits.protect.empty()) filter.refuse(call, 0, static_cast<unsigned>(-1));
  }
  // Neither do they get other limits or another place in the queue: a limit of no time is a signal, too.
  for (const pid_t process : limits.protect) {
    for (const long call :
         {SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr})
      filter.refuse(call, 0, static_cast<unsigned>(process));
    filter.refuse(SYS_setpriority, 1, static_cast<unsigned>(process));
  }
  if (limits.computes_only) {
    for (const long call :
         {SYS_execve,     SYS_execveat, SYS_fork,      SYS_vfork,  SYS_clone,    SYS_clone3,   SYS_socket,
          SYS_socketpair, SYS_connect,  SYS_kill,      SYS_unlink, SYS_unlinkat, SYS_rename,   SYS_renameat,
          SYS_renameat2,  SYS_creat,    SYS_openat2,   SYS_mkdir,  SYS_mkdirat,  SYS_rmdir,    SYS_link,
          SYS_linkat,     SYS_symlink,  SYS_symlinkat, SYS_mknod,  SYS_mknodat,  SYS_truncate, SYS_chmod,
          SYS_fchmod,     SYS_fchmodat, SYS_chown,     SYS_fchown, SYS_lchown,   SYS_fchownat, SYS_setxattr,
          SYS_utimensat,  SYS_chroot,   SYS_pivot_root}) {
      filter.refuse(call);
    }
    constexpr unsigned writing_flags = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
    filter.refuse_bits(SYS_open, 1, writing_flags);
    filter.refuse_bits(SYS_openat, 2, writing_flags);
  }
  return filter.install();
}

#else

bool confine_calls(const Confinement&) { return false; }

#endif

}  // namespace

Confined confine(const Confinement& limits) {
  Confined done;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return done;
  done.files = confine_files(limits);
  done.calls = confine_calls(limits);
  return done;
}

void limit_memory([[maybe_unused]] std::uint64_t more_bytes) {
#if !defined(__SANITIZE_ADDRESS__)
  char text[64] = {};
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  const ssize_t got = ::read(file, text, sizeof text - 1);
  ::close(file);
  rlim_t pages = 0;
  for (ssize_t k = 0; k < got && text[k] >= '0' && text[k] <= '9'; ++k)
    pages = pages * 10 + static_cast<rlim_t>(text[k] - '0');
  const rlim_t most = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + more_bytes;
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_max != RLIM_INFINITY && limit.rlim_max < most) return;
  limit = {most, most};
  ::setrlimit(RLIMIT_AS, &limit);
#endif
}

std::uint64_t half_of_memory() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) /
         2;
}

}  // namespace orrery
