#include "svg_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace spindrift::validation {
namespace {

constexpr double kWidth = 720, kHeight = 360;
constexpr double kLeft = 76, kRight = 16, kTop = 40, kBottom = 52;
constexpr double kLabelRow = 20;
// Told apart by most eyes, on white [Okabe, Ito 2008].
constexpr std::array<const char*, 6> kColors = {"#0072b2", "#d55e00", "#009e73",
                                                "#cc79a7", "#56b4e9", "#e69f00"};

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string(1, c);
  }
  return result;
}

// From data to the page.
class Frame {
 public:
  explicit Frame(const Plot& plot) {
    Eigen::AlignedBox2d box;
    for (const Curve& curve : plot.curves) {
      for (const Vec2& point : curve.points) {
        if (point.allFinite()) box.extend(point);
      }
    }
    if (box.isEmpty()) box = Eigen::AlignedBox2d(Vec2::Zero(), Vec2::Ones());
    low_ = box.min();
    high_ = box.max();
    // Room above and below; a flat curve needs some height.
    const double room = std::max(0.06 * (high_.y() - low_.y()), 1e-9 + 1e-3 * std::abs(high_.y()));
    low_.y() -= room;
    high_.y() += room;
    if (!(high_.x() > low_.x())) high_.x() = low_.x() + 1;
  }
  [[nodiscard]] double x(double value) const {
    return kLeft + (value - low_.x()) / (high_.x() - low_.x()) * (kWidth - kLeft - kRight);
  }
  [[nodiscard]] double y(double value) const {
    return kHeight - kBottom -
           (value - low_.y()) / (high_.y() - low_.y()) * (kHeight - kTop - kBottom);
  }
  [[nodiscard]] const Vec2& low() const { return low_; }
  [[nodiscard]] const Vec2& high() const { return high_; }

 private:
  Vec2 low_, high_;
};

std::string axes(const Plot& plot, const Frame& frame) {
  std::string text;
  const double bottom = kHeight - kBottom;
  const double right = kWidth - kRight;
  for (const double mark : axis_marks(frame.low().x(), frame.high().x(), 8)) {
    text += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1} V{2}\"/>"
        "<text class=\"mark\" x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4:.6g}</text>\n",
        frame.x(mark), kTop, bottom, bottom + 16, mark);
  }
  for (const double mark : axis_marks(frame.low().y(), frame.high().y(), 6)) {
    text += fmt::format(
        "<path class=\"grid\" d=\"M{1} {0:.1f} H{2}\"/>"
        "<text class=\"mark\" x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:.6g}</text>\n",
        frame.y(mark), kLeft, right, kLeft - 6, frame.y(mark) + 4, mark);
  }
  text += fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                      kLeft, kTop, right - kLeft, bottom - kTop);
  text += fmt::format("<text class=\"title\" x=\"{}\" y=\"22\">{}</text>\n", kLeft,
                      escaped(plot.title));
  text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                      (kLeft + right) / 2, kHeight - 14, escaped(plot.x_label));
  text += fmt::format(
      "<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      (kTop + bottom) / 2, escaped(plot.y_label));
  return text;
}

std::string style_of(const Curve& curve, std::size_t color) {
  if (curve.is_theory) return "stroke=\"#666666\" stroke-width=\"1.2\" stroke-dasharray=\"5 4\"";
  return fmt::format("stroke=\"{}\" stroke-width=\"1.8\"", kColors[color % kColors.size()]);
}

}  // namespace

std::vector<double> axis_marks(double low, double high, int count) {
  const double wanted = (high - low) / count;
  const double power = std::pow(10, std::floor(std::log10(wanted)));
  double step = 10 * power;
  for (const double factor : {5, 2, 1}) {
    if (factor * power >= wanted) step = factor * power;
  }
  std::vector<double> marks;
  for (double i = std::ceil(low / step); i * step <= high; ++i) marks.push_back(i * step);
  return marks;
}

std::string to_svg(const Plot& plot) {
  const Frame frame(plot);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#12303d\" "
      "role=\"img\" aria-label=\"{2}\">\n<style>.grid {{ stroke: #e4e9ec; }} .mark {{ font-size: "
      "11px; fill: #40525a; }} .frame {{ fill: none; stroke: #40525a; }} .title {{ font-weight: "
      "bold; }} .curve {{ fill: none; stroke-linejoin: round; }}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      kWidth, kHeight + kLabelRow * std::ceil(static_cast<double>(plot.curves.size()) / 2),
      escaped(plot.title));
  text += axes(plot, frame);
  std::size_t color = 0;
  for (std::size_t i = 0; i < plot.curves.size(); ++i) {
    const Curve& curve = plot.curves[i];
    const std::string style = style_of(curve, color);
    color += curve.is_theory ? 0 : 1;
    std::string path;
    for (const Vec2& point : curve.points) {
      if (!point.allFinite()) continue;
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", frame.x(point.x()),
                          frame.y(point.y()));
    }
    text += fmt::format("<path class=\"curve\" {} d=\"{}\"/>\n", style, path);
    // Two labels to a row, below.
    const double x = kLeft + (i % 2 == 0 ? 0 : (kWidth - kLeft) / 2);
    const double y = kHeight + kLabelRow * static_cast<double>(i / 2) + 8;
    text += fmt::format(
        "<path class=\"curve\" {} d=\"M{} {} h24\"/><text x=\"{}\" y=\"{}\">{}</text>\n", style, x,
        y - 4, x + 32, y, escaped(curve.label));
  }
  return text + "</svg>\n";
}

}  // namespace spindrift::validation
