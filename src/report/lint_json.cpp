// The exchange of lint.h as JSON.
#include "report/lint.h"
#include "report/raw_json_io.h"

namespace ascsan::report {
namespace raw {

template <typename V>
void fields(V& v, SyncLine& x) {
  v.field("file", x.file);
  v.field("line", x.line);
  v.field("function", x.function);
  v.field("operation", x.operation);
  v.field("executions", x.executions);
}
template <typename V>
void fields(V& v, SyncGroup& x) {
  v.field("lines", x.lines);
  v.field("kernels", x.kernels);
  v.field("weight", x.weight);
  v.field("needed", x.needed);
  v.field("for_good", x.for_good);
}
template <typename V>
void fields(V& v, LintTask& x) {
  v.field("survey", x.survey);
  v.field("drop", x.drop);
  v.field("settled", x.settled);
  v.field("known", x.known);
  v.field("schedules", x.schedules);
}
template <typename V>
void fields(V& v, LintLaunch& x) {
  v.field("kernel", x.kernel);
  v.field("blocks", x.blocks);
  v.field("launches", x.launches);
}
template <typename V>
void fields(V& v, LintAnswer& x) {
  v.field("complete", x.complete);
  v.field("trying", x.trying);
  v.field("groups", x.groups);
  v.field("launches", x.launches);
  v.field("errors", x.errors);
  v.field("known", x.known);
  v.field("refused", x.refused);
  v.field("for_good", x.for_good);
  v.field("runs", x.runs);
  v.field("trouble", x.trouble);
}

}  // namespace raw

std::string lint_task_to_json(const LintTask& task) {
  return raw::write(task);
}
bool lint_task_from_json(std::string_view text, LintTask& task, std::string* error) {
  return raw::read(text, task, error);
}
std::string lint_answer_to_json(const LintAnswer& answer) {
  return raw::write(answer);
}
bool lint_answer_from_json(std::string_view text, LintAnswer& answer, std::string* error) {
  return raw::read(text, answer, error);
}

}  // namespace ascsan::report
