//! A kernel's constants as a C++ header, with the types that the WGSL declares them to have.

use crate::base::wgsl::{Scalar, Setting, settable};
use crate::job::{Code, Launch};

/// The type of a tensor map in kernels that take some: bytes that only the hardware reads, so that no header of the
/// driver's is needed.
const TENSOR_MAP: &str = "struct alignas(64) CUtensorMap { unsigned long long opaque[16]; };\n";

/// One `constexpr` for each constant. Macros would reach into every header that the twin includes.
pub(super) fn header(launch: &Launch) -> String {
    match &launch.code {
        Code::Wgsl(wgsl) => {
            let all = wgsl.overrides.iter().chain(&wgsl.consts);
            all.map(|(name, value)| constant(name, *value, ty(&wgsl.source, name))).collect()
        }
        Code::Ptx(_) => String::new(),
        Code::Cuda { constants, launch, .. } => {
            let maps = (!launch.maps.is_empty()).then(|| TENSOR_MAP.to_owned());
            let defines = launch.defines.iter().map(|(name, value)| match value.parse::<f64>() {
                // A negative number after a minus is one token less.
                Ok(_) => format!("#define {name} ({value})\n"),
                Err(_) => format!("#define {name} {value}\n"),
            });
            defines.chain(maps).chain(constants.iter().map(|(name, value)| constant(name, *value, None))).collect()
        }
    }
}

fn constant(name: &str, value: f64, declared: Option<&str>) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "beyond 64 bits it is no constant of these types")]
    let whole = value as i64;
    match declared {
        Some("bool") => format!("constexpr bool {name} = {};\n", value != 0.0),
        Some("f32" | "f16") => format!("constexpr float {name} = {value:?}f;\n"),
        Some("i32") => format!("constexpr int {name} = {whole};\n"),
        None if value.fract() != 0.0 => format!("constexpr float {name} = {value:?}f;\n"),
        None if value < 0.0 => format!("constexpr int {name} = {whole};\n"),
        _ => format!("constexpr unsigned int {name} = {whole}u;\n"),
    }
}

/// The type that WGSL source gives the constant `name`, where it says one.
fn ty<'a>(source: &'a str, name: &str) -> Option<&'a str> {
    match settable(source, name).ok()? {
        Setting::Override(ty) => ty,
        Setting::Const(Scalar::U32) => Some("u32"),
        Setting::Const(Scalar::I32) => Some("i32"),
        Setting::Const(Scalar::F32 | Scalar::Number) => Some("f32"),
        Setting::Const(Scalar::Bool) => Some("bool"),
        Setting::Const(Scalar::Whole) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::fake;

    #[test]
    fn constants_have_the_types_that_the_shader_gives_them() {
        let mut job = fake::job("copy", 1024);
        let Some(launch) = fake::only_launch(&mut job) else { unreachable!("it launches one") };
        let Code::Wgsl(wgsl) = &mut launch.code else { unreachable!("it is in WGSL") };
        wgsl.source =
            "// override N: f32;\noverride N: u32;\noverride SCALE: f32 = 1.0;\n@id(3) override DEEP : i32;\noverride ON: bool;\n\
             const /* rows */ TM: u32 = 16; const HALF = 0.5; const BK = 4;"
                .into();
        wgsl.overrides = [("N", 4e9), ("SCALE", 2.0), ("DEEP", -3.0), ("ON", 1.0), ("OTHER", 0.5)]
            .map(|(name, value)| (name.to_owned(), value))
            .into();
        wgsl.consts = [("TM", 16.0), ("HALF", 2.0), ("BK", 4.0)].map(|(name, value)| (name.to_owned(), value)).into();
        let expected = "constexpr unsigned int N = 4000000000u;\n\
                        constexpr float SCALE = 2.0f;\n\
                        constexpr int DEEP = -3;\n\
                        constexpr bool ON = true;\n\
                        constexpr float OTHER = 0.5f;\n\
                        constexpr unsigned int TM = 16u;\n\
                        constexpr float HALF = 2.0f;\n\
                        constexpr unsigned int BK = 4u;\n";
        assert_eq!(header(launch), expected);
    }
}
