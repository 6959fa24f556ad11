// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace batchscope::engine {

// "libtorch 1.13.1, BLAS openblas-pthread/libblas.so.3, oneDNN 2.6.3, own kernels for AVX-512 with bf16":
// what runs here, the BLAS by the file that its functions really come from.
std::string describeLibraries();

} // namespace batchscope::engine
