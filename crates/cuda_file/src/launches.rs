//! The launches in a CUDA C++ file, with the sizes and arguments that are known without running it.

use std::collections::BTreeMap;
use std::rc::Rc;

use tree_sitter::Node;

use crate::arithmetic::{Unknown, Value, dimensions};
use crate::host::{Code, Frame, Host, declared, parameters, template_parameters};
use crate::members::Standard;
use crate::tree::{children, each_with, named};
use crate::value::{Evaluator, Used};
use crate::variables::Reach;

/// A launch of a kernel.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The kernel's name, of a template with its arguments.
    pub kernel: String,
    /// The file, by its index, and the line, from 0.
    pub place: (usize, usize),
    /// The function that launches it.
    pub function: String,
    pub grid: Given<[i64; 3]>,
    pub block: Given<[i64; 3]>,
    /// Bytes of dynamic shared memory.
    pub shared: Given<i64>,
    /// The kernel's parameters; none if it is not in the file.
    pub parameters: Vec<Parameter>,
    /// The arguments, in the order of the kernel's parameters.
    pub arguments: Vec<Argument>,
    /// Names that the values depend on.
    pub used: Vec<Used>,
    /// Why a run without arguments does not come to it; None if it does.
    pub missed: Option<Missed>,
    /// The names of given values that it depends on.
    pub given: Vec<String>,
}

/// Why a run without arguments does not come to a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missed {
    /// No call from `main` leads to its function.
    Uncalled,
    /// This condition around it, or around a call that leads to it, is false.
    Condition(String),
}

impl Missed {
    /// The condition, or that there is no call.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Uncalled => "main does not call it",
            Self::Condition(text) => text,
        }
    }

    /// The same as a sentence.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Uncalled => self.text().to_owned(),
            Self::Condition(text) => format!("`{text}` decides against it"),
        }
    }
}

/// A parameter of a kernel, as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    /// Its type, without `*`; a template's parameter is replaced by its argument.
    pub ty: String,
    pub is_pointer: bool,
    /// Whether it is a structure of the file's own, an array or a span.
    pub is_class: bool,
}

/// An expression with its value, or the name that is not known.
#[derive(Clone, Debug)]
pub struct Given<T> {
    pub text: String,
    pub value: Result<T, Unknown>,
}

/// An argument: a number, or a buffer.
#[derive(Clone, Debug)]
pub struct Argument {
    pub text: String,
    pub number: Result<Value, Unknown>,
    /// The buffer that a pointer leads to; None if the expression leads to none.
    pub buffer: Option<Buffer>,
}

/// A buffer that a host's pointer leads to.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// The variable that holds it.
    pub name: String,
    pub size: Result<Size, Unknown>,
}

/// The size of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Bytes(i64),
    Elements(i64),
}

/// The launches of texts, a file and those that it includes, in their order. Names in `given` have these values.
#[must_use]
pub fn launches(texts: &[&str], given: &BTreeMap<String, f64>) -> Vec<Launch> {
    let host = Host::new(texts);
    let code = Code::of(&host);
    let evaluator = Evaluator::new(&code, given);
    let reader = Reader { host: &host, code: &code, evaluator: &evaluator };
    let read = |(source, node)| reader.configured(source, node).or_else(|| reader.by_function(source, node));
    let is_kept = |(source, node): &(usize, Node<'_>)| host.is_active(*source, *node, usize::MAX);
    let mut found: Vec<_> = code.calls().filter(is_kept).filter_map(read).collect();
    found.sort_by_key(|launch: &Launch| launch.place);
    found
}

/// The bytes of types that C++ and CUDA have.
pub fn bytes_of(ty: &str) -> Option<i64> {
    Some(match ty {
        "char" | "bool" | "int8_t" | "uint8_t" | "unsigned char" | "signed char" | "uchar" | "__nv_fp8_e4m3"
        | "__nv_fp8_e5m2" | "byte" => 1,
        "short" | "half" | "__half" | "__nv_bfloat16" | "nv_bfloat16" | "bfloat16" | "int16_t" | "uint16_t"
        | "unsigned short" | "ushort" | "Half" | "BFloat16" => 2,
        "int" | "float" | "unsigned" | "unsigned int" | "uint" | "int32_t" | "uint32_t" | "half2" | "__half2"
        | "__nv_bfloat162" | "nv_bfloat162" | "uchar4" | "char4" => 4,
        "double" | "long" | "long long" | "unsigned long" | "unsigned long long" | "size_t" | "int64_t"
        | "uint64_t" | "float2" | "int2" | "uint2" | "clock_t" => 8,
        "float3" | "int3" | "uint3" => 12,
        "float4" | "int4" | "uint4" | "double2" => 16,
        _ => return None,
    })
}

pub struct Reader<'a, 'e> {
    pub host: &'a Host,
    pub code: &'e Code<'a>,
    pub evaluator: &'e Evaluator<'a, 'e>,
}

impl<'a> Reader<'a, '_> {
    /// `kernel<<<grid, block, shared, stream>>>(arguments)`.
    fn configured(&self, source: usize, call: Node<'a>) -> Option<Launch> {
        let configuration = children(call).find(|child| child.kind() == "kernel_call_syntax")?;
        let sizes: Vec<_> = named(configuration).collect();
        let frame = self.code.frame(source, call.start_byte(), 0);
        let arguments: Vec<_> = named(call.child_by_field_name("arguments")?).collect();
        let function = call.child_by_field_name("function")?;
        Some(self.launch(
            &frame,
            call,
            function,
            [sizes.first().copied(), sizes.get(1).copied(), sizes.get(2).copied()],
            &arguments,
        ))
    }

    /// `cudaLaunchKernel(kernel, grid, block, arguments, shared, stream)`, and its cooperative form.
    fn by_function(&self, source: usize, call: Node<'a>) -> Option<Launch> {
        let (name, given) = self.code.call(source, call)?;
        if !matches!(name, "cudaLaunchKernel" | "cudaLaunchCooperativeKernel") || given.len() < 4 {
            return None;
        }
        let frame = self.code.frame(source, call.start_byte(), 0);
        let mut kernel = given[0];
        while let "cast_expression" | "pointer_expression" | "parenthesized_expression" = kernel.kind() {
            kernel = kernel
                .child_by_field_name("value")
                .or_else(|| kernel.child_by_field_name("argument"))
                .or_else(|| named(kernel).last())?;
        }
        // The list of pointers to the arguments, where it is declared.
        let list = self
            .host
            .text(source, given[3])
            .trim_start_matches("(void**)")
            .trim_matches(|c| c == '(' || c == ')' || c == '&')
            .to_owned();
        let mut arguments = Vec::new();
        each_with(frame.scope(self.host), &self.host.sources[frame.source].text, &list, &mut |node| {
            if node.kind() == "init_declarator"
                && declared(node).is_some_and(|it| self.host.text(source, it) == list)
                && let Some(value) =
                    node.child_by_field_name("value").filter(|value| value.kind() == "initializer_list")
            {
                let pointee = |node: Node<'a>| {
                    let mut at = node;
                    while let Some(inner) =
                        at.child_by_field_name("value").or_else(|| at.child_by_field_name("argument"))
                    {
                        at = inner;
                    }
                    at
                };
                arguments = named(value).map(pointee).collect();
            }
        });
        Some(self.launch(&frame, call, kernel, [Some(given[1]), Some(given[2]), given.get(4).copied()], &arguments))
    }

    fn launch(
        &self,
        frame: &Rc<Frame<'a>>,
        call: Node<'a>,
        kernel: Node<'a>,
        sizes: [Option<Node<'a>>; 3],
        arguments: &[Node<'a>],
    ) -> Launch {
        self.evaluator.used.borrow_mut().clear();
        self.evaluator.taken.borrow_mut().clear();
        self.evaluator.steps.set(0);
        let dim = |node: Option<Node<'a>>| {
            let Some(node) = node else { return Given { text: "1".to_owned(), value: Ok([1; 3]) } };
            let value = self.evaluator.value(node, frame).and_then(|value| match dimensions(&value) {
                Some(Value::Dim(dim)) => Ok(dim),
                _ => Err(Unknown(self.text(frame, node))),
            });
            Given { text: self.text(frame, node), value }
        };
        let (grid, block) = (dim(sizes[0]), dim(sizes[1]));
        let shared = match sizes[2] {
            None => Given { text: "0".to_owned(), value: Ok(0) },
            Some(node) => {
                let value = self.evaluator.value(node, frame).and_then(|value| match value {
                    Value::Int(bytes) => Ok(bytes),
                    _ => Err(Unknown(self.text(frame, node))),
                });
                Given { text: self.text(frame, node), value }
            }
        };
        let argument = |node: &Node<'a>| Argument {
            text: self.text(frame, *node),
            number: self.evaluator.value(*node, frame),
            buffer: self.buffer(*node, frame, 0),
        };
        let arguments: Vec<_> = arguments.iter().map(|node| (node, argument(node))).collect();
        let name = self.instance(frame, kernel, &arguments);
        let of_kernel = self.parameters_of(&name, frame);
        Launch {
            kernel: name,
            place: self.host.place(frame.source, call.start_byte()),
            function: self.evaluator.function_name(frame).unwrap_or_default().to_owned(),
            grid,
            block,
            shared,
            parameters: of_kernel,
            arguments: arguments.into_iter().map(|(_, argument)| argument).collect(),
            used: self.evaluator.used.take(),
            missed: self.missed(frame, call).or_else(|| self.uncalled(frame)),
            given: self.evaluator.taken.take().into_iter().collect(),
        }
    }

    /// That a program with a `main` does not call the function.
    fn uncalled(&self, frame: &Rc<Frame<'a>>) -> Option<Missed> {
        let has_main = !self.code.functions("main").is_empty();
        (has_main && !frame.begins_in_main(self.host)).then_some(Missed::Uncalled)
    }

    /// The condition around a call, or around those of its functions, that keeps a run from it.
    fn missed(&self, frame: &Rc<Frame<'a>>, call: Node<'a>) -> Option<Missed> {
        let mut at = call;
        while let Some(parent) = at.parent().filter(|parent| parent.kind() != "function_definition") {
            if self.evaluator.branch(parent, at, call, frame) == Reach::No {
                let condition = parent.child_by_field_name("condition").map(|condition| self.text(frame, condition));
                let plain = |text: String| text.trim_start_matches('(').trim_end_matches(')').to_owned();
                return condition.map(plain).map(Missed::Condition);
            }
            at = parent;
        }
        let around = frame.caller.as_ref().or(frame.outer.as_ref())?;
        let root = self.host.sources[around.source].tree.root_node();
        self.missed(around, root.descendant_for_byte_range(around.at, around.at)?)
    }

    /// The parameters of a kernel by its name with the arguments of its template.
    pub fn parameters_of(&self, kernel: &str, frame: &Frame<'a>) -> Vec<Parameter> {
        let (plain, given) = kernel.split_once('<').unwrap_or((kernel, ""));
        let Some((source, function)) = self.code.functions(plain).first().copied() else { return Vec::new() };
        let text = &self.host.sources[source].text;
        let given = given.trim_end_matches('>').split(',').map(str::trim);
        let of_template: Vec<_> = template_parameters(function, text).into_iter().zip(given).collect();
        let parameter = |node: Node<'a>| {
            let name = declared(node).map_or("", |name| self.host.text(source, name)).to_owned();
            let written = node.child_by_field_name("type").map_or("", |ty| self.host.text(source, ty));
            let ty = of_template.iter().find(|(of, _)| *of == written).map_or(written, |(_, given)| given);
            let ty = self.evaluator.plain_type(ty, frame);
            let is_pointer = self.host.text(source, node).contains(['*', '[']);
            let is_own = || self.code.class(ty.rsplit("::").next().unwrap_or(&ty)).is_some();
            let is_class = !is_pointer && (Standard::of(&ty).is_some() || is_own());
            Parameter { name, ty, is_pointer, is_class }
        };
        parameters(function).into_iter().map(parameter).collect()
    }

    pub fn text(&self, frame: &Frame<'a>, node: Node<'a>) -> String {
        self.host.text(frame.source, node).split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
