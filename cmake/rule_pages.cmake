# usage: cmake -DOUT=rule_pages.inc -DPAGES=a.md,b.md -P rule_pages.cmake. Pages of docs/rules as rows {"ASC1101", "text"}
# of a C++ table. A string literal has a limit of 64 KiB in the standard; pages are far below.
string(REPLACE "," ";" pages "${PAGES}")
set(text "")
foreach(page ${pages})
  get_filename_component(id ${page} NAME_WE)
  file(READ ${page} content)
  string(APPEND text "{\"${id}\", R\"PAGE(${content})PAGE\"},\n")
endforeach()
file(WRITE ${OUT} "${text}")
