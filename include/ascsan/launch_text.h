// From ICPU_RUN_KF(kernel, blockDim, arguments...) to ascsan_launch: keeps the arguments, calls the kernel once per
// core and cuts the text of the macro into kernel name and argument expressions (they become the names of GM tensors).
// Left out: arguments whose text has a comma inside template brackets; their names shift, nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>

#include "ascsan/launch_api.h"

namespace ascsan::launch_detail {

/// Position of the comma in front of the last `count` pieces of `text` (commas in brackets and strings do not count);
/// the length of the text when count is 0.
inline size_t last_pieces(const std::string& text, size_t count) {
  size_t at = text.size();
  int depth = 0;
  bool quoted = false;
  while (count > 0 && at > 0) {
    const char c = text[--at];
    if (c == '"' && (at == 0 || text[at - 1] != '\\')) quoted = !quoted;
    if (quoted) continue;
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c == '(' || c == '[' || c == '{') --depth;
    if (c == ',' && depth == 0) --count;
  }
  return at;
}

/// Name of the kernel from its expression: outer blanks, '&' and parentheses fall away.
inline std::string kernel_name(std::string text) {
  const std::string outer = " &(";
  size_t begin = text.find_first_not_of(outer);
  if (begin == std::string::npos) begin = 0;
  size_t end = text.find_last_not_of(" )");
  if (end == std::string::npos) end = text.size();
  text = text.substr(begin, end + 1 - begin);
  return text.find('{') != std::string::npos ? "lambda" : text;
}

template <typename T>
const void* pointer_value(const T& value) {
  if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>)
    return const_cast<const void*>(static_cast<const volatile void*>(value));
  else
    return nullptr;
}

/// Passes an argument as the parameter type of a plain function. A literal 0 or NULL stands for a null pointer.
template <typename Parameter, typename Argument>
decltype(auto) as_parameter(Argument& argument) {
  if constexpr (std::is_pointer_v<Parameter> && std::is_integral_v<std::remove_cv_t<Argument>>)
    return reinterpret_cast<Parameter>(static_cast<uintptr_t>(argument));
  else
    return (argument);
}

template <typename... Parameters, typename... Arguments>
void call(void (*kernel)(Parameters...), Arguments&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments),
                "ICPU_RUN_KF: the number of arguments differs from the parameters of the kernel");
  kernel(as_parameter<Parameters>(arguments)...);
}
template <typename Kernel, typename... Arguments>
auto call(Kernel& kernel, Arguments&... arguments) -> decltype(static_cast<void>(kernel(arguments...))) {
  kernel(arguments...);
}

template <typename Kernel, typename... Arguments>
struct Closure {
  Kernel& kernel;
  std::tuple<Arguments&...> arguments;

  static void enter(void* closure) {
    auto& self = *static_cast<Closure*>(closure);
    std::apply([&self](auto&... arguments) { call(self.kernel, arguments...); }, self.arguments);
  }
};

/// Runs `kernel(arguments...)` on every core of a launch of `block_dim` blocks. `text` is the text of all macro
/// arguments.
template <typename Kernel, typename BlockDim, typename... Arguments>
void run(const char* text, Kernel&& kernel, BlockDim block_dim, Arguments&&... arguments) {
  const std::string whole = text;
  const size_t arguments_at = last_pieces(whole, sizeof...(Arguments));
  const std::string head = whole.substr(0, arguments_at);
  const std::string name = kernel_name(head.substr(0, last_pieces(head, 1)));
  const std::string expressions = arguments_at < whole.size() ? whole.substr(arguments_at + 1) : std::string();

  std::decay_t<Kernel> target = kernel;
  const void* pointers[sizeof...(Arguments) + 1] = {pointer_value<std::decay_t<Arguments>>(arguments)...};
  using Bound = Closure<std::decay_t<Kernel>, std::remove_reference_t<Arguments>...>;
  Bound closure{target, std::tie(arguments...)};
  ascsan_launch(name.c_str(), static_cast<uint32_t>(block_dim), &Bound::enter, &closure, expressions.c_str(), pointers,
                static_cast<uint32_t>(sizeof...(Arguments)));
}

}  // namespace ascsan::launch_detail
