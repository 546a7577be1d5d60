// The look of text reports: what the terminal can do, and lines that fit it. A Page knows columns, wrapping, colour and
// the ASCII fallback; it knows no finding. Text from outside (titles, source lines, names) may hold any bytes: control
// characters never reach the terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ascsan::report {

struct TextStyle {
  int width = 120;  ///< columns
  bool colour = false;
  bool unicode = true;  ///< false: ASCII only
  uint64_t max_reports = 20;
  std::vector<std::string> source_roots;  ///< folders where relative file names are looked up, first match wins
};

/// Colour only on a terminal and without NO_COLOR; width from COLUMNS or the terminal; UTF-8 from LC_ALL, LC_CTYPE,
/// LANG. Source roots: the current folder and its parents.
TextStyle detect_style(int fd);
/// For files: 120 columns, UTF-8, no colour; same source roots.
TextStyle file_style();

/// Columns that `text` takes; East Asian wide characters take two.
size_t display_width(std::string_view text);

enum class Colour : uint8_t { kNone, kBold, kDim, kRed, kYellow, kBlue, kGreen };

class Page {
 public:
  explicit Page(const TextStyle& style) : style_(style) {}

  /// `text` without control characters and bad UTF-8, in ASCII if the style wants that.
  std::string clean(std::string_view text) const;
  /// `clean` text cut to `columns`, with a mark where something is missing.
  std::string cut(std::string_view text, size_t columns) const;
  std::string paint(Colour colour, const std::string& text) const;
  /// The mark between parts of a line.
  std::string separator() const { return style_.unicode ? " \u00b7 " : " - "; }
  std::string join(const std::vector<std::string>& parts) const;

  void blank() { text_ += '\n'; }
  /// Appends a line as it is.
  void raw(const std::string& line) { text_ += line + '\n'; }
  /// Wraps `body` behind `first` (printed in `first_columns` columns), next lines indented by `indent`. Newlines are
  /// kept.
  void wrapped(const std::string& first, size_t first_columns, size_t indent, std::string_view body);
  /// A labelled block: label in column 2, body in column 12.
  void block(std::string_view label, std::string_view body);

  size_t width() const { return static_cast<size_t>(style_.width); }
  const TextStyle& style() const { return style_; }
  std::string take() { return std::move(text_); }

 private:
  const TextStyle& style_;
  std::string text_;
};

inline constexpr size_t kLabelColumn = 2, kBodyColumn = 12, kFrameColumn = 14;

}  // namespace ascsan::report
