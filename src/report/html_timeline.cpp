// Timelines for the HTML report: the data, once per launch, and for each finding a figure that says which slices
// matter. The drawing itself is in html_draw_script.cpp. See as_html.h.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/actors.h"
#include "report/escape.h"
#include "report/html_parts.h"
#include "report/marks.h"

namespace ascsan::report {
namespace {

using Json = nlohmann::json;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

Json data_of(const Timeline& timeline) {
  Json lanes = Json::array(), slices = Json::array(), arrows = Json::array(), texts = Json::array(),
       places = Json::array();
  for (const TimelineLane& lane : timeline.lanes)
    lanes.push_back({lane.core, lane.pipe, clean_utf8(lane.core_name), clean_utf8(lane.pipe_name)});
  for (const TimelineSlice& slice : timeline.slices)
    slices.push_back({slice.lane, static_cast<int>(slice.kind), slice.begin, slice.end, slice.index, slice.name,
                      slice.detail, slice.place});
  for (const TimelineArrow& arrow : timeline.arrows)
    arrows.push_back({arrow.from, arrow.to, static_cast<int>(arrow.kind)});
  for (const std::string& text : timeline.texts) texts.push_back(clean_utf8(text));
  for (const Frame& place : timeline.places)
    places.push_back({clean_utf8(html_place(place.file, place.line)), clean_utf8(place.function)});
  return {{"launch", timeline.launch},
          {"steps", timeline.steps},
          {"dropped", timeline.dropped},
          {"lanes", lanes},
          {"slices", slices},
          {"arrows", arrows},
          {"texts", texts},
          {"places", places}};
}

}  // namespace

std::string html_timeline_data(const RunResult& run) {
  std::string text;
  for (size_t i = 0; i < run.timelines.size(); ++i)
    text += fmt::format("<script type=\"application/json\" id=\"timeline-{}\">{}</script>\n", i,
                        json_in_html(dump(data_of(run.timelines[i]))));
  return text;
}

std::string html_timeline_figure(const RunResult& run, const Finding& finding) {
  const Timeline* timeline = timeline_of(run, finding);
  if (timeline == nullptr) return "";
  Json marks = Json::array();
  std::vector<int> position(finding.accesses.size(), -1);
  for (size_t i = 0; i < finding.accesses.size(); ++i) {
    const auto slice = slice_of(*timeline, finding.accesses[i]);
    if (!slice) continue;
    position[i] = static_cast<int>(marks.size());
    const std::string& role = finding.accesses[i].role;
    marks.push_back({{"slice", *slice}, {"side", i}, {"label", clean_utf8(role.empty() ? "side" : role)}});
  }
  Json spec = {{"timeline", timeline - run.timelines.data()},
               {"marks", marks},
               {"common", common_slices(*timeline, finding)},
               {"missing", nullptr}};
  if (const auto ends = missing_ends(finding); ends && position[ends->first] >= 0 && position[ends->second] >= 0)
    spec["missing"] = {position[ends->first], position[ends->second]};
  return fmt::format(
      "<figure class=\"timeline\" data-spec=\"{}\"><figcaption><b>Timeline of launch {}</b>"
      "<span>order of steps, not time: the model has no clock</span></figcaption></figure>\n",
      xml_text(dump(spec)), timeline->launch);
}

}  // namespace ascsan::report
