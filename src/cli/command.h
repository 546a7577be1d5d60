// The commands of `ascsan`, each a function from its arguments to an exit code (report/verdict.h names them), and the
// few lines of output they share.
#pragma once

#include <string>
#include <vector>

namespace ascsan::cli {

using Arguments = std::vector<std::string>;

/// ascsan run [options] PROGRAM [args...]
int run_command(const Arguments& args);
/// ascsan explain [ID] [--from FILE] [--format text|html|trace] [--out FILE]
int explain_command(const Arguments& args);
/// ascsan suite DIR [--filter GLOB] [--program PATH] [--out junit=FILE] [options]
int suite_command(const Arguments& args);
/// ascsan replay TOKEN [--] PROGRAM [args...]
int replay_command(const Arguments& args);
/// ascsan diagnose [options] PROGRAM [args...]
int diagnose_command(const Arguments& args);
/// ascsan fix ID [--apply] [--build COMMAND] [options] PROGRAM [args...]
int fix_command(const Arguments& args);
/// ascsan lint --redundant [options] PROGRAM... [-- args...]
int lint_command(const Arguments& args);
/// ascsan rules [ID]
int rules_command(const Arguments& args);
/// ascsan doctor
int doctor_command(const Arguments& args);

/// "ascsan: TEXT" on stderr, one line; returns exit code 2.
int usage_error(const std::string& text);

}  // namespace ascsan::cli
