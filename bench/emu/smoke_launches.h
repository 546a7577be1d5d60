// The operator under the benchmark: the smoke set checked against unchecked, and one large case against the plain
// product.
#pragma once

#include "ratio.h"

namespace ascsan::bench {

void smoke_set(Table& table);
void large_case(Table& table);

}  // namespace ascsan::bench
