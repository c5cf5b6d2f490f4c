#include "tandem/io/video.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "tandem/base/error.h"
#include "tandem/base/shell_word.h"
#include "tandem/io/files.h"

namespace tandem {
namespace {

std::string message_of(int cause) { return std::generic_category().message(cause); }

[[noreturn]] void refuse_start(int cause) {
  if (cause == ENOENT) {
    throw Error(
        "videos are written by ffmpeg, which is not installed; install it "
        "(apt-get install ffmpeg) or add its folder to $PATH");
  }
  throw Error(fmt::format("cannot start ffmpeg: {}", message_of(cause)));
}

std::vector<std::string> ffmpeg_arguments(const std::filesystem::path& file, const Picture& first,
                                          const VideoOptions& options) {
  const int rows = options.scale > 0 ? options.scale : vertical_scale(first.height);
  // Pictures are padded, because the encoder needs even sizes. With faststart, a video plays before
  // it has loaded completely.
  std::istringstream words(fmt::format(
      "ffmpeg -hide_banner -nostdin -y -loglevel error "
      "-f rawvideo -pixel_format rgb24 -video_size {}x{} -framerate {} -i pipe:0 "
      "-vf scale=iw*{}:ih*{}:flags=neighbor,pad=ceil(iw/2)*2:ceil(ih/2)*2 "
      "-c:v libx264 -crf 18 -pix_fmt yuv420p -movflags +faststart",
      first.width, first.height, options.fps, horizontal_scale(first.pixel_aspect, rows), rows));
  std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
  arguments.push_back("file:" + file.string());
  return arguments;
}

// The standard streams of a child process. Owns the list of redirections, not the descriptors.
class StandardStreams {
 public:
  StandardStreams(int input, int messages) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, messages, STDERR_FILENO);
  }
  ~StandardStreams() { posix_spawn_file_actions_destroy(&actions_); }
  StandardStreams(const StandardStreams&) = delete;
  StandardStreams& operator=(const StandardStreams&) = delete;

  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// "pong.part.mp4" for "pong.mp4": ffmpeg recognises the format by the extension.
std::filesystem::path unfinished_name(std::filesystem::path file) {
  const auto name = file.stem().string() + ".part" + file.extension().string();
  return file.replace_filename(name);
}

}  // namespace

int vertical_scale(int height) { return std::max(1, 640 / height); }

int horizontal_scale(double pixel_aspect, int scale) {
  return std::max(1, static_cast<int>(std::lround(pixel_aspect * scale)));
}

VideoWriter::VideoWriter(std::filesystem::path file, const Picture& first,
                         const VideoOptions& options)
    : file_(std::move(file)),
      unfinished_(unfinished_name(file_)),
      width_(first.width),
      height_(first.height),
      picture_bytes_(first.rgb.size()) {
  if (std::filesystem::is_directory(file_)) {
    throw Error(fmt::format("{} is a folder; name a file for the video", file_.string()));
  }
  if (file_.extension().empty()) {
    throw Error(fmt::format("{} does not say the kind of video; name it {}.mp4", file_.string(),
                            file_.string()));
  }
  const auto folder = file_.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {
    throw Error(fmt::format("there is no folder {} for the video; make it first", folder.string()));
  }
  start_ffmpeg(first, options);
}

VideoWriter::~VideoWriter() {
  if (ffmpeg_ >= 0) {
    kill(ffmpeg_, SIGKILL);
    wait_for_ffmpeg();
  }
  std::error_code ignored;
  std::filesystem::remove(unfinished_, ignored);
}

void VideoWriter::start_ffmpeg(const Picture& first, const VideoOptions& options) {
  messages_ = Descriptor(memfd_create("ffmpeg messages", MFD_CLOEXEC));
  // This is a socket, because a write to a pipe whose reader has died would end the process by
  // SIGPIPE.
  std::array<int, 2> ends{-1, -1};
  const int failed = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data());
  if (messages_.get() < 0 || failed != 0) refuse_start(errno);
  pictures_ = Descriptor(ends[0]);
  const Descriptor input(ends[1]);

  auto words = ffmpeg_arguments(unfinished_, first, options);
  const auto argv = argument_vector(words);
  const StandardStreams streams(input.get(), messages_.get());
  pid_t process = -1;
  const int cause = posix_spawnp(&process, "ffmpeg", streams.get(), nullptr, argv.data(), environ);
  if (cause != 0) refuse_start(cause);
  ffmpeg_ = process;
}

void VideoWriter::add(const Picture& picture) {
  if (picture.width != width_ || picture.height != height_ ||
      picture.rgb.size() != picture_bytes_) {
    throw Error(fmt::format(
        "a picture has {} x {} pixels in {} bytes, and the first one of the video had {} x {} in "
        "{}: an environment must render pictures of one size",
        picture.width, picture.height, picture.rgb.size(), width_, height_, picture_bytes_));
  }
  const auto* rest = picture.rgb.data();
  for (auto left = picture.rgb.size(); left > 0;) {
    const auto sent = send(pictures_.get(), rest, left, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) fail();
    rest += sent;
    left -= static_cast<std::size_t>(sent);
  }
}

void VideoWriter::close() {
  pictures_.close();  // the end of ffmpeg's input
  if (wait_for_ffmpeg() != 0) fail();
  std::error_code error;
  std::filesystem::rename(unfinished_, file_, error);
  if (!error) return;
  throw write_error(file_, error.value());
}

/// Waits until ffmpeg has ended. Returns its status; 0 is success.
int VideoWriter::wait_for_ffmpeg() {
  const pid_t process = std::exchange(ffmpeg_, -1);
  int status = 0;
  if (process < 0) return status;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return errno;
  }
  return status;
}

std::string VideoWriter::said() const {
  std::string text(4096, '\0');
  const auto length = pread(messages_.get(), text.data(), text.size(), 0);
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

void VideoWriter::fail() {
  pictures_.close();
  wait_for_ffmpeg();
  throw Error(fmt::format("ffmpeg could not write the video {}: {}", file_.string(),
                          said().empty() ? "it ended without a message" : said()));
}

}  // namespace tandem
