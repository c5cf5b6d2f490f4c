// Writes pictures to a video file, with ffmpeg.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "tandem/base/descriptor.h"
#include "tandem/env/env.h"

namespace tandem {

/// Speed and size of a video. Value type.
struct VideoOptions {
  double fps = 30;  // pictures per second
  int scale = 0;    // video rows for each row of a picture; 0: about 640 rows in all
};

/// An H.264 video (yuv420p, so that browsers play it). Pictures go uncompressed through a socket to
/// a child process `ffmpeg`, which enlarges them without smoothing. The file appears when it is
/// complete, and then replaces one of that name. Not thread-safe. Throws Error with ffmpeg's own
/// message when ffmpeg is missing or fails.
class VideoWriter {
 public:
  /// `first` sets the size of all pictures; it is not added.
  VideoWriter(std::filesystem::path file, const Picture& first, const VideoOptions& options);

  /// Deletes the video, unless close() has completed it.
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  /// Throws Error for a picture of another size than the first.
  void add(const Picture& picture);

  /// Completes the file.
  void close();

 private:
  void start_ffmpeg(const Picture& first, const VideoOptions& options);
  int wait_for_ffmpeg();
  [[nodiscard]] std::string said() const;
  [[noreturn]] void fail();

  std::filesystem::path file_;
  std::filesystem::path unfinished_;
  int width_;  // of all pictures, in pixels
  int height_;
  std::size_t picture_bytes_;
  Descriptor pictures_;  // our end of the socket
  Descriptor messages_;  // a file in memory for ffmpeg's messages
  pid_t ffmpeg_ = -1;    // -1: it does not run
};

/// Rows of the video for a row of a picture of this height, if the options leave it open.
[[nodiscard]] int vertical_scale(int height);

/// Columns of the video for a column of a picture at this scale: the integer that comes nearest to
/// the true shape of the pixels. All columns thus have the same width.
[[nodiscard]] int horizontal_scale(double pixel_aspect, int scale);

}  // namespace tandem
