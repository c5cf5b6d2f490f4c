// Runs ViZDoom's engine for one environment, and leaves nothing of it behind: the client that it
// serves may be killed, and so may this program.
//
//   doom_supervisor [ARGUMENT...]
//
// The engine is ../engine/vizdoom/vizdoom beside this program. It gets the arguments but for
// -tandem_client, whose value is the process that the engine serves. The engine runs in a folder of
// its own, where it writes its settings, and ends when the client ends. Linux alone.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// The words after the program's name.
struct Words {
  std::vector<std::string> of_engine;
  std::string instance;  // the name by which the client and the engine find each other
  pid_t client = 0;
};

Words read_words(int argc, char** argv) {
  Words words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "-tandem_client" && i + 1 < argc) {
      words.client = static_cast<pid_t>(std::strtol(argv[++i], nullptr, 10));
      continue;
    }
    if (word == "+viz_instance_id" && i + 1 < argc) words.instance = argv[i + 1];
    words.of_engine.push_back(word);
  }
  return words;
}

/// Removes the shared memory and the queues of an instance. The client and the engine do so, too,
/// unless they are killed.
void remove_shared(const std::string& instance) {
  for (const char* name : {"ViZDoomSM", "ViZDoomMQCtr", "ViZDoomMQDoom"}) {
    shm_unlink(("/" + (name + instance)).c_str());
  }
}

constexpr auto kFolders = "tandem-doom-";

/// A folder whose lock this process holds until it ends; empty if there is none to be had.
std::string make_folder(const fs::path& where) {
  constexpr int kTries = 10;  // another supervisor may take a folder without a lock for abandoned
  for (int attempt = 0; attempt < kTries; ++attempt) {
    auto folder = (where / (std::string(kFolders) + "XXXXXX")).string();
    if (mkdtemp(folder.data()) == nullptr) return {};
    const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened >= 0 && flock(opened, LOCK_EX | LOCK_NB) == 0 && fs::exists(folder)) return folder;
    if (opened >= 0) close(opened);
  }
  return {};
}

/// Removes the folders of supervisors that were killed.
void remove_abandoned(const fs::path& where) {
  std::error_code error;
  for (fs::directory_iterator entry(where, error); entry != end(entry); entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(kFolders)) continue;
    const int opened = open(entry->path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (opened < 0) continue;
    if (flock(opened, LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry->path(), error);
    close(opened);
  }
}

/// Becomes the engine. Returns only if that fails.
void run_engine(const std::string& engine, const Words& words, const std::string& folder,
                pid_t supervisor) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor || chdir(folder.c_str()) != 0) return;
  std::vector<char*> arguments = {const_cast<char*>(engine.c_str())};
  for (const auto& word : words.of_engine) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(engine.c_str(), arguments.data());
}

}  // namespace

int main(int argc, char** argv) {
  const auto words = read_words(argc, argv);
  // Ctrl-C in a terminal is for the client, which ends its environments in order. One that came
  // before setsid() may still wait.
  setsid();
  signal(SIGINT, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);  // a client that ignores its children's ends passes that on
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&signals, signal);
  sigset_t before;
  sigprocmask(SIG_BLOCK, &signals, &before);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (words.client != 0 && getppid() != words.client) {
    remove_shared(words.instance);
    return EXIT_FAILURE;
  }

  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error);
  const auto engine = program.parent_path().parent_path() / "engine/vizdoom/vizdoom";
  auto temporary = fs::temp_directory_path(error);
  if (error) temporary = "/tmp";
  remove_abandoned(temporary);
  const auto folder = make_folder(temporary);
  if (folder.empty()) {
    std::perror(("doom_supervisor: no folder can be made in " + temporary.string()).c_str());
    remove_shared(words.instance);
    return EXIT_FAILURE;
  }
  const pid_t supervisor = getpid();
  const pid_t child = fork();
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    run_engine(engine, words, folder, supervisor);
    std::perror(("doom_supervisor: " + engine.string()).c_str());
    _exit(EXIT_FAILURE);
  }
  int status = 0;
  while (child > 0 && waitpid(child, &status, WNOHANG) == 0) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (signal != SIGCHLD) kill(child, SIGKILL);
  }
  remove_shared(words.instance);
  fs::remove_all(folder, error);
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}
