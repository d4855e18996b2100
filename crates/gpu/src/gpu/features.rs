//! Device features, beyond size, that a kernel's WGSL needs: 16-bit floats, cooperative matrices.

use crate::base::diag::Diagnostic;
use crate::base::tensor::Elem;
use crate::base::wgsl::tokens;
use crate::job::{Code, Launch};
use crate::trace::record::{Backend, Device, MatrixShape};

/// A feature that the kernel uses and `device` does not have.
pub(super) fn missing(launch: &Launch, device: &Device) -> Option<Diagnostic> {
    let Code::Wgsl(wgsl) = &launch.code else { return None };
    let lacks = |what: &str, hint: String| {
        let message = format!("kernel `{}` needs {what}, which {} does not have", launch.kernel, this(device));
        Some(Diagnostic::error(message).hint(hint).not_here())
    };
    let elsewhere = "run it on another device, or trace it: `--backend simt`, or “Tracer only” in the window";
    let used = matrices(&wgsl.source);
    if !used.is_empty() && device.cooperative.is_empty() {
        return lacks("cooperative matrices", elsewhere.to_owned());
    }
    if let Some(matrix) = used.iter().find(|matrix| !device.cooperative.iter().any(|shape| matrix.is_part_of(shape))) {
        let shapes: Vec<String> = device.cooperative.iter().map(ToString::to_string).collect();
        return lacks(&matrix.to_string(), format!("{elsewhere}; this one has {}", shapes.join(", ")));
    }
    // The twin says for itself what it uses.
    if !device.f16 && device.backend != Backend::Cuda && tokens(&wgsl.source).any(|token| token == "f16") {
        return lacks("16-bit floats", elsewhere.to_owned());
    }
    None
}

/// The device as a sentence names it.
fn this(device: &Device) -> String {
    match device.backend {
        Backend::Simt => "the tracer".to_owned(),
        Backend::Wgpu => format!("this adapter ({})", device.name),
        Backend::Cuda => format!("this GPU ({})", device.name),
    }
}

/// A type of cooperative matrix: A and B are factors, C is a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Matrix {
    size: u32,
    elem: Elem,
    sum: bool,
}

impl Matrix {
    fn is_part_of(self, shape: &MatrixShape) -> bool {
        [shape.m, shape.n, shape.k] == [self.size; 3] && self.elem == if self.sum { shape.sum } else { shape.factors }
    }
}

impl std::fmt::Display for Matrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.sum { "sums" } else { "factors" };
        write!(f, "cooperative matrices of {0} x {0} {1} as {kind}", self.size, self.elem.name())
    }
}

/// The types of cooperative matrices in `source`.
fn matrices(source: &str) -> Vec<Matrix> {
    let tokens: Vec<&str> = tokens(source).collect();
    let found = tokens.windows(6).filter_map(|t| {
        let size = match t[0] {
            "coop_mat16x16" => 16,
            "coop_mat8x8" => 8,
            _ => return None,
        };
        let elem = match t[2] {
            "f16" => Elem::F16,
            "f32" => Elem::F32,
            // A name for one of them: the compiler will say what it is.
            _ => return None,
        };
        Some(Matrix { size, elem, sum: t[4] == "C" })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::super::fake;
    use super::*;

    const KERNEL: &str = "enable f16;\nenable wgpu_cooperative_matrix;\n// coop_mat8x8<f32, A>\n\
        alias A = coop_mat16x16< f16, A>; alias C = coop_mat16x16<f32,C>;";

    fn said(source: &str, f16: bool, cooperative: &[MatrixShape]) -> Option<String> {
        let mut job = fake::job("copy", 64);
        let launch = fake::only_launch(&mut job)?;
        if let Code::Wgsl(wgsl) = &mut launch.code {
            wgsl.source = source.into();
        }
        let device = Device { backend: Backend::Wgpu, f16, cooperative: cooperative.to_vec(), ..fake::device() };
        let found = missing(launch, &device);
        assert!(found.as_ref().is_none_or(|d| d.not_here));
        found.map(|d| d.to_string())
    }

    #[test]
    fn what_a_kernel_uses_and_the_device_lacks_is_named() {
        let shape = MatrixShape { m: 16, n: 16, k: 16, factors: Elem::F16, sum: Elem::F32 };
        let text = said(KERNEL, true, &[]).unwrap_or_default();
        assert!(
            text.contains("needs cooperative matrices, which this adapter (scripted device) does not have"),
            "{text}"
        );
        assert_eq!(said(KERNEL, true, &[shape]), None);
        let text = said(KERNEL, true, &[MatrixShape { sum: Elem::F16, ..shape }]).unwrap_or_default();
        assert!(text.contains("16 x 16 f32 as sums") && text.contains("16 x 16 x 16 of f16, summed in f16"), "{text}");
        assert!(said(KERNEL, true, &[MatrixShape { k: 8, ..shape }]).is_some());
        assert!(said("var<private> x: f16;", false, &[]).is_some_and(|text| text.contains("needs 16-bit floats")));
        assert_eq!(said("// f16", false, &[]), None);
    }
}
