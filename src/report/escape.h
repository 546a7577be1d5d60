// Text of a program under test inside XML, HTML, JSON in HTML, URIs and workflow commands. Names, titles and source
// lines may hold any bytes; what leaves here is valid UTF-8 and cannot end the element, attribute or command it stands
// in. Left out: terminals (text_layout.h) and plain JSON, whose library escapes by itself.
#pragma once

#include <string>
#include <string_view>

namespace ascsan::report {

/// `text` as valid UTF-8 that XML 1.0 and HTML allow. Bad bytes, control characters other than tab and newline, and
/// marks that turn the direction of text become U+FFFD; "\r\n" and "\r" become "\n".
std::string clean_utf8(std::string_view text);

/// clean_utf8 for element text and double-quoted attributes of XML and HTML; newlines and tabs as references, so that
/// attributes keep them.
std::string xml_text(std::string_view text);

/// A URI reference for SARIF: everything but unreserved characters and '/' is percent-encoded; absolute names become
/// file URIs, and a colon in the first part of a relative name cannot be taken for a scheme.
std::string file_uri(std::string_view file);

/// The message of a GitHub workflow command, one line.
std::string github_message(std::string_view text);
/// A property of a GitHub workflow command.
std::string github_property(std::string_view text);

/// A JSON text (ASCII, as dumped with ensure_ascii) that may stand inside <script>.
std::string json_in_html(std::string_view json);

}  // namespace ascsan::report
