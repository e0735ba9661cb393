#pragma once

// Stands before libstdc++'s own header when clang 15 or older compiles HIP as C++20 (Debian 12's hipcc does).
// That compiler crashes when it works out whether a class with a std::pair member is copied on host or device, if the
// pair's assignment has a requires clause, as it has since C++20. Without library concepts, the pair takes its C++17
// form; the same members, the same layout. Delete this file once clang 16 is the oldest compiler accepted.
#if __cplusplus >= 202002L
#include <compare>
#include <concepts>
#pragma push_macro("__cpp_lib_concepts")
#undef __cpp_lib_concepts
#include_next <bits/stl_pair.h>
#pragma pop_macro("__cpp_lib_concepts")
#else
#include_next <bits/stl_pair.h>
#endif
