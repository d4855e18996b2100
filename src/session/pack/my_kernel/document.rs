//! The lesson that is made of a kernel: its document, its text, and copies of its files.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::{Begins, BufferSetup, DIMENSIONS, Number, Setup, members};

/// The greatest value of a control.
const MOST: u64 = 16_777_216;

/// The most bytes of a uniform buffer: what every device of WebGPU allows.
const LARGEST: u64 = 65_536;

/// The most threads of a block in a dimension.
const THREADS: u64 = 1024;

/// The files of the lesson `id`, with their paths in a pack: its document and its text. The kernel's own files are
/// copied beside them, into `shaders/ID/`.
#[must_use]
pub fn files(id: &str, setup: &Setup) -> [(String, String); 2] {
    [(format!("lessons/{id}/lesson.ron"), document(id, setup)), (format!("lessons/{id}/text.md"), text(setup))]
}

fn quoted(text: &str) -> String {
    format!("{text:?}")
}

/// A size of at least 1, at any value of the controls.
fn size(expression: &str) -> String {
    match expression.trim().parse::<u64>() {
        Ok(number) if number > 0 => quoted(expression.trim()),
        _ => quoted(&format!("max(1, {expression})")),
    }
}

fn document(id: &str, setup: &Setup) -> String {
    let mut params = String::new();
    for number in setup.numbers.iter().filter(|number| is_control(number)) {
        let help = format!("The kernel's `{}` ({}).", number.name, number.ty);
        // A page is read at both ends of its controls, and a product of two must stay a size that a buffer can have.
        let high = number.value.parse::<u64>().map_or(MOST, |value| (16 * value).clamp(1024, MOST));
        params.push_str(&control(&number.name, &number.name, &help, &number.value, [0, high]));
    }
    for (name, threads) in DIMENSIONS.iter().zip(blocks(setup)) {
        params.push_str(&control(
            name,
            &name.replace('_', ", "),
            "Threads of a block.",
            &threads.to_string(),
            [1, THREADS],
        ));
    }
    let buffers: String = setup.buffers.iter().map(|of| buffer(id, of)).collect();
    let bytes: Vec<String> =
        setup.buffers.iter().map(|buffer| format!("{} * ({})", buffer.elem.bytes(), buffer.count)).collect();
    let grid = setup.grid.iter().map(|extent| size(extent)).collect::<Vec<_>>().join(", ");
    format!(
        "(
    format_version: 3,
    title: {title},
    summary: {summary},
    params: [
{params}    ],
    kernels: [
        (
            id: \"kernel\", title: {kernel}, shader: {shader}, entry: {entry},
            {launch}
            buffers: [
{buffers}            ],
            grid: ({grid}),
            bytes: {bytes},
        ),
    ],
{experiments}    steps: [
        (id: \"kernel\", kernel: \"kernel\"{experiment}),
    ],
)
",
        title = quoted(&format!("{}: {}", setup.file_name(), setup.entry)),
        summary = quoted(&format!("Your kernel `{}` of {}.", setup.entry, setup.file.display())),
        kernel = quoted(&setup.entry),
        shader = quoted(&format!("{id}/{}", setup.file_name())),
        entry = quoted(&setup.entry),
        launch = launch(id, setup),
        bytes = quoted(&if bytes.is_empty() { "0".to_owned() } else { bytes.join(" + ") }),
        experiments = if is_swept(setup) { EXPERIMENT } else { "" },
        experiment = if is_swept(setup) { ", experiment: \"block\"" } else { "" },
    )
}

/// Throughput by the size of a block.
const EXPERIMENT: &str = "    experiments: [
        (
            id: \"block\", title: \"Throughput by the threads of a block\", kernels: [\"kernel\"], over: \"block_x\",
            values: [32, 64, 128, 256, 512, 1024], quantity: BytesPerSecond,
        ),
    ],
";

/// Whether the size of a block can be varied alone.
fn is_swept(setup: &Setup) -> bool {
    !setup.is_block_fixed && setup.block.is_some_and(|[_, y, z]| y * z == 1)
}

/// The controls' values of a block's dimensions; none of a block whose size is fixed.
fn blocks(setup: &Setup) -> Vec<u32> {
    setup.block.filter(|_| !setup.is_block_fixed).map(|[x, y, z]| vec![x, y, z]).unwrap_or_default()
}

/// Whether a number is a control of the page: a whole one that is not negative.
fn is_control(number: &Number) -> bool {
    number.is_whole && number.value.parse::<u64>().is_ok_and(|value| value <= MOST)
}

fn control(id: &str, label: &str, help: &str, value: &str, [low, high]: [u64; 2]) -> String {
    let (id, label, help) = (quoted(id), quoted(label), quoted(help));
    format!("        (id: {id}, label: {label}, help: {help}, default: {value}, domain: Range({low}, {high})),\n")
}

/// The value of a number, as an expression.
fn value(number: &Number) -> String {
    quoted(if is_control(number) { &number.name } else { &number.value })
}

/// The constants of a kernel in WGSL, or the launch of one in CUDA C++.
fn launch(id: &str, setup: &Setup) -> String {
    let Some(block) = setup.block else {
        let each: Vec<String> =
            setup.numbers.iter().map(|number| format!("{}: {}", quoted(&number.name), value(number))).collect();
        return format!("constants: {{{}}},", each.join(", "));
    };
    let mut parameters = Vec::new();
    for name in &setup.order {
        let number = setup.numbers.iter().find(|number| number.name == *name).map(|n| format!("Value({})", value(n)));
        let buffer = setup.buffers.iter().find(|buffer| buffer.name == *name);
        let buffer = buffer.map(|buffer| if buffer.is_written { "ReadWrite" } else { "Read" }.to_owned());
        parameters.extend(number.or(buffer).map(|taken| format!("{}: {taken}", quoted(name))));
    }
    let sizes = match setup.is_block_fixed {
        true => block.map(|threads| quoted(&threads.to_string())),
        false => DIMENSIONS.map(quoted),
    };
    let source = setup
        .source
        .as_ref()
        .and_then(|source| source.file_name())
        .map(|name| format!(", source: {}", quoted(&format!("{id}/{}", name.to_string_lossy()))));
    format!(
        "cuda: (parameters: {{{}}}, block: ({}), shared: {}{}, traced: true),",
        parameters.join(", "),
        sizes.join(", "),
        quoted(&setup.shared),
        source.unwrap_or_default()
    )
}

/// The files with the contents of a lesson's uniform buffers: their paths in a pack, and their bytes.
#[must_use]
pub fn contents(id: &str, setup: &Setup) -> Vec<(String, Vec<u8>)> {
    let given = setup.buffers.iter().filter(|buffer| !buffer.members.is_empty());
    given.map(|buffer| (path(id, buffer), bytes(buffer))).collect()
}

fn path(id: &str, buffer: &BufferSetup) -> String {
    format!("assets/{id}/{}.bin", buffer.name)
}

fn bytes(buffer: &BufferSetup) -> Vec<u8> {
    let count = buffer.count.trim().parse::<u64>().unwrap_or(0);
    members::contents(&buffer.members, count.saturating_mul(buffer.elem.bytes().into()).min(LARGEST))
}

fn buffer(id: &str, buffer: &BufferSetup) -> String {
    let begins = match buffer.begins {
        _ if !buffer.members.is_empty() => {
            let digest: String = Sha256::digest(bytes(buffer)).iter().map(|byte| format!("{byte:02x}")).collect();
            format!("File(path: {}, sha256: {})", quoted(&path(id, buffer)), quoted(&digest))
        }
        Begins::Random => "Random".to_owned(),
        Begins::Iota => "Iota".to_owned(),
        Begins::Zero => "Zero".to_owned(),
        Begins::Poison => "Poison".to_owned(),
    };
    let (name, count) = (quoted(&buffer.name), size(&buffer.count));
    format!("                (name: {name}, elem: {:?}, count: {count}, init: {begins}),\n", buffer.elem)
}

fn text(setup: &Setup) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "## {} {{#kernel}}\n\nThe kernel `{}` of your file `{}`. A launch requests \
         {{{{= kernel.load_sectors}}}} sectors of 32 bytes by loads and {{{{= kernel.store_sectors}}}} by stores, and its warps execute \
         {{{{= kernel.warp_instructions}}}} instructions.\n\n",
        setup.entry,
        setup.entry,
        setup.file_name(),
    );
    out.push_str(
        "The controls are the numbers that it takes. Throughput counts each buffer once. There is no check of its result: \
         a time says how fast it is, and not that it is right.\n",
    );
    out
}
