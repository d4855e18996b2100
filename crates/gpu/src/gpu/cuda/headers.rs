//! Headers of C that kernels include, as far as they concern a kernel: NVRTC has none of them. Macros are spelled as
//! CCCL's are, which may be included, too.

/// By the names that they are included under, their texts.
pub(super) const HEADERS: [(&str, &str); 20] = [
    ("assert.h", ""),
    ("cassert", ""),
    ("stdio.h", ""),
    ("cstdio", ""),
    ("stdlib.h", STANDARD),
    ("cstdlib", STANDARD),
    ("string.h", ""),
    ("cstring", ""),
    ("time.h", ""),
    ("ctime", ""),
    ("math.h", MATH),
    ("cmath", MATH),
    ("float.h", FLOATS),
    ("cfloat", FLOATS),
    ("limits.h", LIMITS),
    ("climits", LIMITS),
    ("stdint.h", INTEGERS),
    ("cstdint", INTEGERS),
    ("stddef.h", ""),
    ("cstddef", ""),
];

const STANDARD: &str = "#pragma once\n#define EXIT_SUCCESS 0\n#define EXIT_FAILURE 1\n#define RAND_MAX 2147483647\n";

const MATH: &str = "#pragma once
#define INFINITY __int_as_float(0x7f800000)
#define HUGE_VALF __int_as_float(0x7f800000)
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000)
#define NAN __int_as_float(0x7fffffff)
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
";

const FLOATS: &str = "#pragma once
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MAX 3.40282346638528859811704183484516925e+38f
#define FLT_MIN 1.17549435082228750796873653722224568e-38f
#define FLT_TRUE_MIN 1.40129846432481707092372958328991613e-45f
#define FLT_EPSILON 1.19209289550781250000000000000000000e-7f
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MAX 1.79769313486231570814527423731704357e+308
#define DBL_MIN 2.22507385850720138309023271733240406e-308
#define DBL_TRUE_MIN 4.94065645841246544176568792868221372e-324
#define DBL_EPSILON 2.22044604925031308084726333618164062e-16
";

const LIMITS: &str = "#pragma once
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-SHRT_MAX - 1)
#define SHRT_MAX 0x7fff
#define USHRT_MAX 0xffff
#define INT_MIN (-INT_MAX - 1)
#define INT_MAX 0x7fffffff
#define UINT_MAX 0xffffffff
#define LONG_MIN (-LONG_MAX - 1)
#define LONG_MAX LLONG_MAX
#define ULONG_MAX ULLONG_MAX
#define LLONG_MIN (-LLONG_MAX - 1)
#define LLONG_MAX 0x7fffffffffffffffLL
#define ULLONG_MAX 0xffffffffffffffffUL
";

const INTEGERS: &str = "#pragma once
#include <limits.h>
using int8_t = signed char;
using int16_t = signed short;
using int32_t = signed int;
using int64_t = signed long long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
using intptr_t = int64_t;
using uintptr_t = uint64_t;
#define INT8_MIN SCHAR_MIN
#define INT16_MIN SHRT_MIN
#define INT32_MIN INT_MIN
#define INT64_MIN LLONG_MIN
#define INT8_MAX SCHAR_MAX
#define INT16_MAX SHRT_MAX
#define INT32_MAX INT_MAX
#define INT64_MAX LLONG_MAX
#define UINT8_MAX UCHAR_MAX
#define UINT16_MAX USHRT_MAX
#define UINT32_MAX UINT_MAX
#define UINT64_MAX ULLONG_MAX
";

/// Names that nvcc knows without an include, from headers of the host: types, limits, and C++'s functions of integers,
/// which are computed as doubles ([cmath.syn]).
pub(super) const OF_NVCC: &str = "#include <math.h>
#include <limits.h>
#include <stdint.h>
using uint = unsigned int;
using ushort = unsigned short;
using ulong = unsigned long;
template <typename T> struct warpbook_double_of {};
template <> struct warpbook_double_of<int> { using type = double; };
template <> struct warpbook_double_of<unsigned> { using type = double; };
template <> struct warpbook_double_of<long> { using type = double; };
template <> struct warpbook_double_of<unsigned long> { using type = double; };
template <> struct warpbook_double_of<long long> { using type = double; };
template <> struct warpbook_double_of<unsigned long long> { using type = double; };
#define WARPBOOK_OF_ONE(name) \\
  template <typename T> static __device__ __forceinline__ typename warpbook_double_of<T>::type name(T x) { return ::name((double)x); }
#define WARPBOOK_OF_TWO(name) \\
  template <typename T, typename U> static __device__ __forceinline__ decltype(typename warpbook_double_of<T>::type() + typename warpbook_double_of<U>::type()) name(T x, U y) { return ::name((double)x, (double)y); }
WARPBOOK_OF_ONE(sqrt) WARPBOOK_OF_ONE(cbrt) WARPBOOK_OF_ONE(exp) WARPBOOK_OF_ONE(exp2) WARPBOOK_OF_ONE(expm1)
WARPBOOK_OF_ONE(log) WARPBOOK_OF_ONE(log2) WARPBOOK_OF_ONE(log10) WARPBOOK_OF_ONE(log1p)
WARPBOOK_OF_ONE(sin) WARPBOOK_OF_ONE(cos) WARPBOOK_OF_ONE(tan) WARPBOOK_OF_ONE(asin) WARPBOOK_OF_ONE(acos) WARPBOOK_OF_ONE(atan)
WARPBOOK_OF_ONE(sinh) WARPBOOK_OF_ONE(cosh) WARPBOOK_OF_ONE(tanh) WARPBOOK_OF_ONE(erf) WARPBOOK_OF_ONE(erfc)
WARPBOOK_OF_ONE(floor) WARPBOOK_OF_ONE(ceil) WARPBOOK_OF_ONE(round) WARPBOOK_OF_ONE(trunc) WARPBOOK_OF_ONE(rint) WARPBOOK_OF_ONE(fabs)
WARPBOOK_OF_TWO(pow) WARPBOOK_OF_TWO(atan2) WARPBOOK_OF_TWO(fmod) WARPBOOK_OF_TWO(hypot)
#undef WARPBOOK_OF_ONE
#undef WARPBOOK_OF_TWO
";

/// Names of C++'s library that kernels use, as CUDA's own has them.
pub(super) const OF_STD: &str = "#include <cuda/std/type_traits>
#include <cuda/std/limits>
#include <cuda/std/utility>
#include <cuda/std/cmath>
#include <cuda/std/array>
#include <cuda/std/span>
namespace std { using namespace cuda::std; }
";

/// The mend for code of the host.
pub(super) const HOST: &str =
    "NVRTC compiles kernels alone: put main() and the host's other code between #ifndef __CUDACC_RTC__ and #endif";

/// The mend for a header that NVRTC does not have.
pub(super) fn hint(name: &str) -> String {
    let of_host =
        ["iostream", "vector", "string", "chrono", "algorithm", "fstream", "random", "thread", "memory", "map"];
    if of_host.contains(&name) {
        return format!(
            "NVRTC compiles kernels alone: put <{name}> and the host's code between #ifndef __CUDACC_RTC__ and #endif"
        );
    }
    if name.starts_with("thrust/") {
        return "thrust is for the host; trace the kernel alone".to_owned();
    }
    let package = if name.starts_with("curand") { "pip install nvidia-curand, and " } else { "" };
    format!("{package}name the folder that has it in CPATH, as for gcc: CPATH=path/to/include warpbook trace …")
}
