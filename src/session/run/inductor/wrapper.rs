//! A wrapper that `torch.compile` writes (`output_code.py` of its compiler, Inductor): the kernels that it defines, and the buffers and launches of
//! its `call`. It is read line by line, as it is generated; nothing of it is executed.

use std::collections::BTreeMap;

/// What a wrapper says.
#[derive(Debug, Default, PartialEq)]
pub struct Wrapper {
    /// `0_forward`; empty if it says none.
    pub id: String,
    /// By name.
    pub kernels: BTreeMap<String, Kernel>,
    /// The elements of buffers, allocated or inputs, by name; with those that strides leave out.
    pub buffers: BTreeMap<String, u64>,
    /// In order.
    pub launches: Vec<Launch>,
    /// The calls of kernels that are not Triton's, such as `extern_kernels.mm`, in order.
    pub others: Vec<String>,
    /// The nodes of the graph by the name that the model's source gives them.
    pub nodes: BTreeMap<String, Vec<String>>,
}

/// A kernel of Triton's, as its decorator describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kernel {
    /// The file that it was compiled from, on the machine that compiled it.
    pub file: String,
    /// Its parameters with their types, such as `*fp32`, `i32` and `constexpr`, in order.
    pub signature: Vec<(String, String)>,
    /// How a grid follows from its sizes: `Grid1D`.
    pub grid: String,
}

/// A launch of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    pub kernel: String,
    pub arguments: Vec<Argument>,
    /// The names of what it computes in the model's source: `layer_norm`, `gelu`.
    pub sources: Vec<String>,
    /// The line of the wrapper, from 1.
    pub line: u32,
}

/// An argument of a launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// The buffer of this name.
    Buffer(String),
    Number(String),
}

/// Reads a wrapper; None if the text is none.
pub fn read(text: &str) -> Option<Wrapper> {
    let mut wrapper = Wrapper::default();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let (mut file, mut sources, mut is_call) = (String::new(), Vec::new(), false);
    let mut kernel: Option<(String, Kernel)> = None;
    for (line, number) in text.lines().zip(1..) {
        let plain = line.trim();
        if let Some((name, of)) = &mut kernel {
            if let Some(signature) = between(plain, "'signature': {", "}") {
                of.signature = pairs(signature);
            }
            if let Some(grid) = between(plain, "'grid_type': '", "'") {
                grid.clone_into(&mut of.grid);
            }
            if plain.starts_with("''', device_str=") {
                wrapper.kernels.insert(std::mem::take(name), std::mem::take(of));
                kernel = None;
            }
        } else if let Some(id) = plain.strip_prefix("# AOT ID: ") {
            id.trim_matches(|c| "[]'".contains(c)).clone_into(&mut wrapper.id);
        } else if let Some(path) = plain.strip_prefix("# kernel path: ") {
            path.clone_into(&mut file);
        } else if let Some((source, nodes)) = plain.strip_prefix("#   ").and_then(|rest| rest.split_once(" => ")) {
            let nodes = nodes.split(", ").map(str::to_owned);
            wrapper.nodes.entry(source.trim().to_owned()).or_default().extend(nodes);
        } else if let Some(rest) = plain.strip_prefix("# Topologically Sorted Source Nodes: [") {
            let listed = rest.split(']').next().unwrap_or_default();
            sources = listed.split(", ").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        } else if let Some((name, _)) = plain.split_once(" = async_compile.triton(") {
            kernel = Some((name.to_owned(), Kernel { file: std::mem::take(&mut file), ..Kernel::default() }));
        } else if plain.starts_with("def ") {
            is_call = plain.starts_with("def call(");
        } else if is_call && let Some((name, arguments)) = called(plain, ".run(") {
            let arguments = arguments.iter().filter(|argument| !argument.starts_with("stream="));
            let arguments = arguments.map(|argument| argument_of(argument, &names)).collect();
            let sources = sources.clone();
            wrapper.launches.push(Launch { kernel: name.to_owned(), arguments, sources, line: number });
        } else if is_call || plain.contains(" = rand_strided(") {
            statement(plain, &mut wrapper, &mut names);
        }
    }
    let is_one = text.contains("async_compile") && text.contains("def call(");
    is_one.then_some(wrapper)
}

/// Assertions of a buffer's size: of older versions of torch, and of newer ones.
const SIZES: [&str; 2] = ["assert_size_stride(", "assert_tensor_metadata("];

/// A statement of `call` that is no launch: an allocation, another name of a buffer, a call of another kernel.
fn statement(plain: &str, wrapper: &mut Wrapper, names: &mut BTreeMap<String, String>) {
    if let Some(arguments) = SIZES.iter().find_map(|name| plain.strip_prefix(name)) {
        let arguments = split(arguments.trim_end_matches(')'));
        if let [name, shape, strides, ..] = arguments.as_slice()
            && let Some(count) = elements(shape, strides)
        {
            wrapper.buffers.entry((*name).to_owned()).or_insert(count);
        }
        return;
    }
    let Some((name, value)) = plain.split_once(" = ") else {
        if let Some((name, _)) = called(plain, "(").filter(|(name, _)| name.contains("kernels.")) {
            wrapper.others.push(name.to_owned());
        }
        return;
    };
    if value.starts_with("torch.ops.") || value.starts_with("extern_kernels.") {
        wrapper.others.extend(value.split('(').next().map(str::to_owned));
    }
    if value.starts_with("empty_strided") || value.starts_with("rand_strided") {
        let inside = value.split_once('(').map_or("", |(_, rest)| rest.rsplit_once(')').map_or(rest, |(all, _)| all));
        let arguments = split(inside);
        if let [shape, strides, ..] = arguments.as_slice()
            && let Some(count) = elements(shape, strides)
        {
            wrapper.buffers.insert(name.to_owned(), count);
        }
        return;
    }
    let first = value.split(';').next().unwrap_or_default().trim();
    if let Argument::Buffer(of) = argument_of(first, names)
        && (wrapper.buffers.contains_key(&of) || first.starts_with("reinterpret_tensor("))
    {
        names.insert(name.to_owned(), of);
    }
}

/// A buffer by its own name, without the views of it; or a number.
fn argument_of(text: &str, names: &BTreeMap<String, String>) -> Argument {
    let base = text.strip_prefix("reinterpret_tensor(").and_then(|inside| {
        let arguments = split(inside.trim_end_matches(')'));
        let offset = arguments.get(3).copied().unwrap_or("0");
        let of = arguments.first()?;
        let of = names.get(*of).map_or(*of, String::as_str);
        Some(if offset == "0" { of.to_owned() } else { format!("{of}+{offset}") })
    });
    match base {
        Some(base) => Argument::Buffer(base),
        None if text.starts_with(|c: char| c.is_ascii_digit() || "-+.".contains(c)) => {
            Argument::Number(text.to_owned())
        }
        None if ["True", "False"].contains(&text) => Argument::Number(text.to_lowercase()),
        None if text.starts_with("float(") => Argument::Number(text.to_owned()),
        None => Argument::Buffer(names.get(text).cloned().unwrap_or_else(|| text.to_owned())),
    }
}

/// The elements from the first to the last of a view: `(4, 128), (128, 1)`. None of sizes that are no numbers.
fn elements(shape: &str, strides: &str) -> Option<u64> {
    let numbers = |text: &str| {
        let inside = text.trim().trim_start_matches('(').trim_end_matches(')');
        let each = inside.split(',').map(str::trim).filter(|number| !number.is_empty());
        each.map(|number| number.parse::<u64>().ok()).collect::<Option<Vec<u64>>>()
    };
    let (shape, strides) = (numbers(shape)?, numbers(strides)?);
    let mut last = 1_u64;
    for (size, stride) in shape.into_iter().zip(strides) {
        last = last.checked_add(size.checked_sub(1)?.checked_mul(stride)?)?;
    }
    Some(last)
}

/// `name.run(a, b)` by its name and its arguments.
fn called<'a>(plain: &'a str, by: &str) -> Option<(&'a str, Vec<&'a str>)> {
    let (name, rest) = plain.split_once(by)?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_.".contains(c));
    is_name.then(|| (name, split(rest.rsplit_once(')').map_or(rest, |(inside, _)| inside))))
}

/// The parts between commas that are in no bracket.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0_usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    Some(text.split_once(from)?.1.split(to).next().unwrap_or_default())
}

/// `'a': 'b', 'c': 'd'` as pairs.
fn pairs(text: &str) -> Vec<(String, String)> {
    let plain = |text: &str| text.trim().trim_matches('\'').to_owned();
    text.split(", ").filter_map(|pair| pair.split_once(": ").map(|(name, of)| (plain(name), plain(of)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# AOT ID: ['0_forward']
async_compile = AsyncCompile()
# kernel path: /tmp/ind/66/c66e.py
# Topologically Sorted Source Nodes: [linear, gelu], Original ATen: [aten.gelu]
#   gelu => mul, tanh
k = async_compile.triton('k', '''
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*bf16', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'device': 0},
    inductor_meta={'grid_type': 'Grid1D', 'num_load': 1}
''', device_str='cuda')
class Runner:
    def call(self, args):
        assert_size_stride(primals_1, (4, 8), (16, 1))
        with torch.cuda._DeviceGuard(0):
            buf0 = empty_strided_cuda((4, 8), (8, 1), torch.bfloat16)
            extern_kernels.mm(reinterpret_tensor(primals_1, (4, 8), (8, 1), 0), buf0, out=buf0)
            buf7 = torch.ops.aten.attention.default(buf0)
            assert_tensor_metadata(buf7, (2, 4), (4, 1), torch.float32, 'torch.ops.aten.attention.default')
            buf1 = reinterpret_tensor(buf0, (32, ), (1, ), 0); del buf0  # reuse
            # Topologically Sorted Source Nodes: [gelu, ], Original ATen: [aten.gelu]
            k.run(reinterpret_tensor(primals_1, (4, 8), (8, 1), 8), buf1, 32, stream=stream0)
        return (buf1, )
def get_args():
    primals_1 = rand_strided((4, 8), (16, 1), device='cuda:0', dtype=torch.float32)
";

    #[test]
    fn buffers_kernels_and_launches_are_read() {
        let wrapper = read(TEXT).expect("it is a wrapper");
        assert_eq!(["buf0", "primals_1", "buf7"].map(|name| wrapper.buffers[name]), [32, 56, 8]);
        assert_eq!(wrapper.others, ["extern_kernels.mm", "torch.ops.aten.attention.default"]);
        assert_eq!(
            (wrapper.id.as_str(), wrapper.nodes["gelu"].as_slice()),
            ("0_forward", &["mul".to_owned(), "tanh".to_owned()][..])
        );
        let kernel = &wrapper.kernels["k"];
        assert_eq!(
            (kernel.grid.as_str(), kernel.file.as_str(), kernel.signature.len()),
            ("Grid1D", "/tmp/ind/66/c66e.py", 4)
        );
        let [launch] = wrapper.launches.as_slice() else { panic!("{:?}", wrapper.launches) };
        let named = |name: &str| Argument::Buffer(name.to_owned());
        assert_eq!(launch.arguments, [named("primals_1+8"), named("buf0"), Argument::Number("32".to_owned())]);
        assert_eq!((launch.sources.as_slice(), launch.line), (&["gelu".to_owned()][..], 20));
        assert_eq!(read("def call(args):\n    pass\n"), None);
    }
}
