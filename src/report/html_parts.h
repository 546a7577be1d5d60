// Pieces of the HTML report (as_html.h): what is fixed text, and what is made for one finding or one timeline. All of
// it is inside one file without any reference to the outside; text of the program goes through escape.h.
#pragma once

#include <string>

#include "report/model.h"
#include "report/source_lines.h"

namespace ascsan::report {

extern const char* const kHtmlStyle;           ///< html_style.cpp
extern const char* const kHtmlTimelineStyle;   ///< html_timeline_style.cpp
extern const char* const kHtmlPageScript;      ///< html_page_script.cpp: theme, filter, print
extern const char* const kHtmlTimelineScript;  ///< html_timeline_script.cpp: layout and input
extern const char* const kHtmlDrawScript;      ///< html_draw_script.cpp: from layout to SVG

/// "kernel.h:564" for a page; empty without a file.
std::string html_place(const std::string& file, uint32_t line);

/// One finding as an <article> with the anchor "finding-NUMBER".
std::string html_finding(const RunResult& run, const Finding& finding, size_t number, SourceLines& sources);

/// Timelines as <script type="application/json" id="timeline-N">, N their place in the run.
std::string html_timeline_data(const RunResult& run);
/// The drawing of a finding in the timeline of its launch; empty when there is none.
std::string html_timeline_figure(const RunResult& run, const Finding& finding);

}  // namespace ascsan::report
