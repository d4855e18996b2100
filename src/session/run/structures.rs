//! Parameters that are structures, as their members: each becomes a parameter of its own, so that it is given by its name and a pointer in
//! it leads to a buffer.

use warpbook_cuda_file::{Member, members};

use super::pointee::Pointee;
use super::signature::Declared;
use crate::base::parts;
use crate::simt::{Parameter, ptx_source_name};

/// A kernel's PTX whose parameters are members, with what each of these is in the source.
pub(super) struct Split {
    pub ptx: String,
    pub declared: Vec<Declared>,
}

/// The PTX of a kernel with its structures as members; None if it takes none, or none whose layout and use are understood. `declared` are
/// the parameters by the source, and `is_whole` says of one whether its bytes are given.
pub(super) fn split(
    source: &str,
    (ptx, entry, instance): (&str, &str, Option<&str>),
    parameters: &[Parameter],
    declared: &[Declared],
    is_whole: &dyn Fn(&str) -> bool,
) -> Option<Split> {
    // Numbers have no members.
    if declared.len() != parameters.len() || parameters.iter().all(is_number) {
        return None;
    }
    let texts: Vec<&str> = parts::parts(source).into_iter().map(|part| part.text).collect();
    let found = members(&texts, instance.unwrap_or_else(|| ptx_source_name(entry)));
    let (mut ptx, mut all, mut is_split) = (ptx.to_owned(), Vec::new(), false);
    for (n, (parameter, declared)) in parameters.iter().zip(declared).enumerate() {
        let layout = found.get(n).and_then(Option::as_ref).filter(|_| !is_whole(&declared.name));
        let layout = layout.filter(|(members, bytes)| *bytes == i64::from(parameter.bytes) && !members.is_empty());
        let rewritten = layout.and_then(|(members, _)| Some((members, rewritten(&ptx, &parameter.name, members)?)));
        match rewritten {
            Some((members, new)) => {
                (ptx, is_split) = (new, true);
                all.extend(members.iter().map(|member| of_member(&declared.name, member)));
            }
            None => all.push(declared.clone()),
        }
    }
    is_split.then_some(Split { ptx, declared: all })
}

fn is_number(parameter: &Parameter) -> bool {
    parameter.bytes <= 8 && parameter.ty != "b8"
}

fn of_member(structure: &str, member: &Member) -> Declared {
    let pointee = member.is_pointer.then(|| Pointee::of_cpp(&member.ty)).flatten();
    let number = if member.is_pointer { None } else { Pointee::of_cpp(&member.ty) };
    let dot = if member.path.starts_with('[') { "" } else { "." };
    Declared {
        name: format!("{structure}{dot}{}", member.path),
        pointee,
        is_pointer: Some(member.is_pointer),
        number,
        stars: None,
    }
}

/// PTX in which a parameter is replaced by one for each member; None if it uses the parameter in another way than by loading members.
fn rewritten(ptx: &str, parameter: &str, members: &[Member]) -> Option<String> {
    let mut out = String::with_capacity(ptx.len() + 64 * members.len());
    for line in ptx.split_inclusive('\n') {
        let mut places = line.match_indices(parameter).filter(|(at, _)| {
            let after = line[at + parameter.len()..].chars().next();
            !after.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$')
        });
        let Some((at, _)) = places.next() else {
            out.push_str(line);
            continue;
        };
        let after = &line[at + parameter.len()..];
        let code = line.trim_start();
        if code.starts_with(".param") {
            let end = if after.trim_end().ends_with(',') { "," } else { "" };
            let each = members.iter().map(|member| format!("\t.param .{} {}", kind(member), name(parameter, member)));
            out.push_str(&format!("{}{end}\n", each.collect::<Vec<_>>().join(",\n")));
        } else if code.starts_with("ld.param") && places.next().is_none() {
            let offset = after.split(']').next()?.trim_start_matches('+');
            let offset: i64 = if offset.is_empty() { 0 } else { offset.parse().ok()? };
            out.push_str(&loads(code, parameter, members, offset)?);
        } else {
            return None;
        }
    }
    Some(out)
}

/// The loads of members in place of a load of a parameter, which may be of a vector.
fn loads(code: &str, parameter: &str, members: &[Member], offset: i64) -> Option<String> {
    let (mnemonic, rest) = code.split_once(char::is_whitespace)?;
    let ty = mnemonic.rsplit('.').next()?;
    let bytes: i64 = ty.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse::<i64>().ok()? / 8;
    let registers = match rest.trim_start().strip_prefix('{') {
        Some(list) => list.split('}').next()?,
        None => rest.split(',').next()?,
    };
    let mut out = String::new();
    for (i, register) in registers.split(',').enumerate() {
        let at = offset + i64::try_from(i).ok()? * bytes;
        let member = members.iter().find(|member| member.offset == at && member.bytes == bytes)?;
        out.push_str(&format!("\tld.param.{ty} \t{}, [{}];\n", register.trim(), name(parameter, member)));
    }
    Some(out)
}

/// A member's name as a parameter.
fn name(parameter: &str, member: &Member) -> String {
    format!("{parameter}_at_{}", member.offset)
}

/// A member's type as PTX has it.
fn kind(member: &Member) -> String {
    let is_float = !member.is_pointer && ["float", "double"].contains(&member.ty.as_str());
    match member.bytes {
        bytes @ (1 | 2 | 4 | 8) => format!("{}{}", if is_float { 'f' } else { 'u' }, 8 * bytes),
        _ => "b8".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(path: &str, ty: &str, is_pointer: bool, offset: i64, bytes: i64) -> Member {
        Member { path: path.to_owned(), ty: ty.to_owned(), is_pointer, offset, bytes }
    }

    #[test]
    fn loads_of_a_structure_become_those_of_its_members() {
        let members =
            [member("x", "float", true, 0, 8), member("n", "int", false, 8, 4), member("a", "float", false, 12, 4)];
        let ptx = ".entry k(\n\t.param .align 8 .b8 k_param_0[16],\n\t.param .u32 k_param_01\n)\n{\n\
                   \tld.param.v2.u32 \t{%r1, %r2}, [k_param_0+8];\n\tld.param.u64 \t%rd1, [k_param_0];\n}\n";
        let wanted = ".entry k(\n\t.param .u64 k_param_0_at_0,\n\t.param .u32 k_param_0_at_8,\n\t.param .f32 k_param_0_at_12,\n\
                      \t.param .u32 k_param_01\n)\n{\n\tld.param.u32 \t%r1, [k_param_0_at_8];\n\
                      \tld.param.u32 \t%r2, [k_param_0_at_12];\n\tld.param.u64 \t%rd1, [k_param_0_at_0];\n}\n";
        assert_eq!(rewritten(ptx, "k_param_0", &members).as_deref(), Some(wanted));
        let taken = ptx.replace("ld.param.u64 \t%rd1, [k_param_0]", "mov.b64 \t%rd1, k_param_0");
        assert_eq!(rewritten(&taken, "k_param_0", &members), None);
        let across = ptx.replace("u64 \t%rd1, [k_param_0]", "u64 \t%rd1, [k_param_0+8]");
        assert_eq!(rewritten(&across, "k_param_0", &members), None);
    }
}
