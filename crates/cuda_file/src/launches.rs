//! The launches in a CUDA C++ file, with what is known of their sizes and arguments without running it.

use std::collections::BTreeMap;
use std::rc::Rc;

use tree_sitter::Node;

use crate::host::{Code, Frame, Host, declared, last_name, parameters, template_parameters};
use crate::tree::{children, each_with, named};
use crate::value::{Evaluator, Unknown, Used, Value, dimensions};

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
    /// A condition around it that is false in a run without arguments; None if there is none.
    pub missed: Option<String>,
    /// The names of given values that it depends on.
    pub given: Vec<String>,
}

/// A parameter of a kernel, as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    /// The type, or that of what it points to; of a template's as the launch has it.
    pub ty: String,
    pub is_pointer: bool,
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
    /// What a pointer leads to.
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

/// Whether an expression only wraps the pointer in it.
fn is_wrapped(kind: &str) -> bool {
    let wraps = [
        "cast_expression",
        "pointer_expression",
        "parenthesized_expression",
        "subscript_expression",
        "call_expression",
    ];
    wraps.contains(&kind)
}

fn is_pointer_declarator(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| parent.kind() == "pointer_declarator")
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

/// Functions that allocate, with the places of the pointer and of the bytes among their arguments.
const ALLOCATES: [(&str, usize, usize); 6] = [
    ("cudaMalloc", 0, 1),
    ("cudaMallocManaged", 0, 1),
    ("cudaMallocHost", 0, 1),
    ("cudaHostAlloc", 0, 1),
    ("cudaMallocAsync", 0, 1),
    ("checkCudaErrorsMalloc", 0, 1),
];

struct Reader<'a, 'e> {
    host: &'a Host,
    code: &'e Code<'a>,
    evaluator: &'e Evaluator<'a, 'e>,
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

    /// `cudaLaunchKernel(kernel, grid, block, arguments, shared, stream)`, also of clusters and cooperative ones.
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
            missed: self.missed(frame, call),
            given: self.evaluator.taken.take().into_iter().collect(),
        }
    }

    /// A condition around a call, or around those of its functions, that is false.
    fn missed(&self, frame: &Rc<Frame<'a>>, call: Node<'a>) -> Option<String> {
        let mut at = call;
        while let Some(parent) = at.parent().filter(|parent| parent.kind() != "function_definition") {
            let whole = |node: Node<'a>| {
                let before = frame.at(parent.start_byte());
                self.evaluator.value(node, &before).ok().and_then(|value| value.whole())
            };
            let is_branch = |name: &str| parent.child_by_field_name(name).is_some_and(|it| it == at);
            let condition = parent.child_by_field_name("condition");
            let is_missed = match (parent.kind(), condition) {
                ("if_statement", Some(condition)) => whole(condition).is_some_and(|value| {
                    (value == 0 && is_branch("consequence")) || (value != 0 && is_branch("alternative"))
                }),
                ("switch_statement", Some(condition)) => {
                    whole(condition).is_some_and(|value| !self.is_case_of(parent, call, value, &whole))
                }
                _ => false,
            };
            if let (true, Some(condition)) = (is_missed, condition) {
                let text = self.text(frame, condition);
                return Some(text.trim_start_matches('(').trim_end_matches(')').to_owned());
            }
            at = parent;
        }
        let around = frame.caller.as_ref().or(frame.outer.as_ref())?;
        let root = self.host.sources[around.source].tree.root_node();
        self.missed(around, root.descendant_for_byte_range(around.at, around.at)?)
    }

    /// Whether a switch over a value comes to a call in it: in its own case, or in one that falls through to it.
    fn is_case_of(
        &self,
        switch: Node<'a>,
        call: Node<'a>,
        value: i64,
        whole: &dyn Fn(Node<'a>) -> Option<i64>,
    ) -> bool {
        let Some(body) = switch.child_by_field_name("body") else { return true };
        let cases: Vec<_> = named(body).filter(|node| node.kind() == "case_statement").collect();
        let Some(own) = cases.iter().position(|case| case.byte_range().contains(&call.start_byte())) else {
            return true;
        };
        // None of `default`.
        let is_it =
            |case: &Node<'a>| case.child_by_field_name("value").map(|it| whole(it).is_none_or(|of| of == value));
        // Cases without statements of their own go on in the next.
        let falls = cases[..own].iter().rev().take_while(|case| named(**case).count() <= 1);
        let reached: Vec<_> = std::iter::once(&cases[own]).chain(falls).map(is_it).collect();
        let is_other = cases.iter().any(|case| is_it(case) == Some(true));
        reached.contains(&Some(true)) || (reached.contains(&None) && !is_other)
    }

    /// The parameters of a kernel by its name with the arguments of its template.
    fn parameters_of(&self, kernel: &str, frame: &Frame<'a>) -> Vec<Parameter> {
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
            Parameter { name, ty, is_pointer: self.host.text(source, node).contains(['*', '[']) }
        };
        parameters(function).into_iter().map(parameter).collect()
    }

    fn text(&self, frame: &Frame<'a>, node: Node<'a>) -> String {
        self.host.text(frame.source, node).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The kernel's name, of a template with its arguments: those that are written, or those that its parameters' types tell.
    fn instance(&self, frame: &Frame<'a>, kernel: Node<'a>, arguments: &[(&Node<'a>, Argument)]) -> String {
        let name = last_name(kernel).map_or_else(|| self.text(frame, kernel), |name| self.text(frame, name));
        let name = match frame.bound.iter().rev().find(|(bound, _)| *bound == name) {
            // A kernel that the caller chooses.
            Some((_, value)) if frame.caller.is_some() => {
                let caller = frame.caller.as_ref().expect("there is one");
                return self.instance(caller, *value, &[]);
            }
            _ => name,
        };
        let Some((source, function)) = self
            .code
            .functions(&name)
            .iter()
            .copied()
            .find(|(_, function)| function.parent().is_some_and(|parent| parent.kind() == "template_declaration"))
        else {
            return name;
        };
        let mut of_template: Vec<String> =
            self.template_arguments(kernel).map(|node| self.template_argument(node, frame)).collect();
        let text = &self.host.sources[source].text;
        let kernels = parameters(function);
        for parameter in template_parameters(function, text).into_iter().skip(of_template.len()) {
            let deduced = kernels.iter().zip(arguments).find_map(|(kernel, (node, _))| {
                let ty = kernel.child_by_field_name("type")?;
                if &text[ty.byte_range()] == parameter {
                    return self.pointee(**node, frame, 0);
                }
                // An argument of the parameter's own template: `Tag<N>` is given as `Tag<8>{}`.
                let place = self.template_arguments(ty).position(|of| &text[of.byte_range()] == parameter)?;
                let given = node.child_by_field_name("type").or_else(|| node.child_by_field_name("function"))?;
                self.template_arguments(given).nth(place).map(|of| self.template_argument(of, frame))
            });
            let Some(deduced) = deduced else { break };
            of_template.push(self.evaluator.plain_type(&deduced, frame));
        }
        if of_template.is_empty() { name } else { format!("{name}<{}>", of_template.join(", ")) }
    }

    /// The arguments of a template's name.
    fn template_arguments(&self, name: Node<'a>) -> impl Iterator<Item = Node<'a>> {
        let mut name = name;
        while name.kind() == "qualified_identifier" {
            let Some(inner) = name.child_by_field_name("name") else { break };
            name = inner;
        }
        name.child_by_field_name("arguments").into_iter().flat_map(named)
    }

    fn template_argument(&self, node: Node<'a>, frame: &Frame<'a>) -> String {
        match self.evaluator.value(node, frame) {
            Ok(Value::Int(value)) => value.to_string(),
            Ok(Value::Text(text)) => text,
            _ => {
                let ty = self.evaluator.type_text(node, frame).unwrap_or_else(|| self.text(frame, node));
                self.evaluator.plain_type(&ty, frame)
            }
        }
    }

    /// The type that an argument is, or points to, by its declaration.
    fn pointee(&self, node: Node<'a>, frame: &Frame<'a>, depth: usize) -> Option<String> {
        match node.kind() {
            "identifier" => {
                let name = self.host.text(frame.source, node);
                let ty = self.evaluator.type_of(name, frame)?;
                match frame.bound.iter().rev().find(|(bound, _)| *bound == ty) {
                    Some((_, value)) => self.evaluator.type_text(*value, frame.caller.as_ref()?),
                    None => {
                        // A template's type that the caller's argument tells.
                        let is_open = frame.function.is_some_and(|function| {
                            template_parameters(function, &self.host.sources[frame.source].text).contains(&ty.as_str())
                        });
                        if !is_open {
                            return Some(ty);
                        }
                        let (_, value) =
                            frame.bound.iter().rev().find(|(bound, _)| bound == name).filter(|_| depth < 8)?;
                        self.pointee(*value, frame.caller.as_ref()?, depth + 1)
                    }
                }
            }
            "cast_expression" => {
                node.child_by_field_name("type").map(|ty| self.text(frame, ty).trim_end_matches([' ', '*']).to_owned())
            }
            "call_expression" => {
                let function = node.child_by_field_name("function")?;
                let types = if function.kind() == "field_expression" {
                    function.child_by_field_name("field")?
                } else {
                    function
                };
                let ty = types.child_by_field_name("arguments").and_then(|types| named(types).next())?;
                let text = self.evaluator.type_text(ty, frame)?;
                Some(text.trim_end_matches([' ', '*']).to_owned())
            }
            _ => node
                .child_by_field_name("argument")
                .or_else(|| node.child_by_field_name("left"))
                .and_then(|inner| self.pointee(inner, frame, depth)),
        }
    }

    /// The buffer that an expression leads to.
    fn buffer(&self, node: Node<'a>, frame: &Rc<Frame<'a>>, depth: usize) -> Option<Buffer> {
        let inner = |name: &str| node.child_by_field_name(name).and_then(|inner| self.buffer(inner, frame, depth + 1));
        match node.kind() {
            _ if depth > 24 => None,
            "cast_expression" => inner("value"),
            "parenthesized_expression" => named(node).next().and_then(|inner| self.buffer(inner, frame, depth + 1)),
            "binary_expression" => inner("left"),
            // A pointer in an array of pointers.
            "subscript_expression" if node.parent().is_none_or(|parent| parent.kind() != "pointer_expression") => {
                let array = self.text(frame, node.child_by_field_name("argument")?);
                Some(Buffer { name: self.text(frame, node), size: self.allocated(&array, frame, depth) })
            }
            "pointer_expression" | "subscript_expression" => inner("argument"),
            "call_expression" => {
                let function = node.child_by_field_name("function")?;
                let object = function.child_by_field_name("argument").filter(|_| function.kind() == "field_expression");
                let first = node.child_by_field_name("arguments").and_then(|list| named(list).next());
                self.buffer(object.or(first)?, frame, depth + 1)
            }
            "field_expression" => Some(Buffer {
                name: self.text(frame, node),
                size: self.allocated(&self.text(frame, node), frame, depth),
            }),
            "identifier" => {
                let name = self.text(frame, node);
                if let Some((_, value)) = frame.bound.iter().rev().find(|(bound, _)| *bound == name) {
                    let caller = frame.caller.as_ref()?;
                    return self.buffer(*value, caller, depth + 1);
                }
                if let Some((at, value)) = self.initial(&name, frame)
                    && matches!(
                        value.kind(),
                        "identifier" | "cast_expression" | "binary_expression" | "pointer_expression"
                    )
                    && let Some(of) = self
                        .buffer(value, &Rc::new(frame.at(at)), depth + 1)
                        .filter(|of| of.name != name && of.size.is_ok())
                {
                    return Some(of);
                }
                let size = match (self.allocated(&name, frame, depth), &frame.outer) {
                    (Err(_), Some(outer)) => return self.buffer_named(&name, outer, depth),
                    (size, _) => size,
                };
                Some(Buffer { name, size })
            }
            _ => None,
        }
    }

    /// The buffer of a name of a macro's text, where the macro is used.
    fn buffer_named(&self, name: &str, frame: &Rc<Frame<'a>>, depth: usize) -> Option<Buffer> {
        match frame.bound.iter().rev().find(|(bound, _)| bound == name) {
            Some((_, value)) => self.buffer(*value, frame.caller.as_ref()?, depth + 1),
            None => match (self.allocated(name, frame, depth), &frame.outer) {
                (Err(_), Some(outer)) => self.buffer_named(name, outer, depth),
                (size, _) => Some(Buffer { name: name.to_owned(), size }),
            },
        }
    }

    /// The expression that a local pointer begins with.
    fn initial(&self, name: &str, frame: &Frame<'a>) -> Option<(usize, Node<'a>)> {
        let mut found = None;
        each_with(frame.scope(self.host), &self.host.sources[frame.source].text, name, &mut |node| {
            let is_it = |it: Node<'a>| self.host.text(frame.source, it) == name;
            if node.kind() == "init_declarator" && node.start_byte() < frame.at && declared(node).is_some_and(is_it) {
                found = node.child_by_field_name("value").map(|value| (node.start_byte(), value));
            }
        });
        found
    }

    /// The size that a variable's buffer is allocated with.
    fn allocated(&self, name: &str, frame: &Rc<Frame<'a>>, depth: usize) -> Result<Size, Unknown> {
        let unknown = || Unknown(name.to_owned());
        if let Some(elements) = self.evaluator.taken(name) {
            return Ok(Size::Elements(elements as i64));
        }
        if depth > 24 {
            return Err(unknown());
        }
        let mut result = Err(unknown());
        each_with(frame.scope(self.host), &self.host.sources[frame.source].text, name, &mut |node| {
            if result.is_err()
                && let Some(size) = self.allocates(name, node, frame, depth)
            {
                result = size;
            }
        });
        // A variable of the file may be allocated by any function.
        if result.is_err() && frame.function.is_some() && self.is_global(name) {
            for (source, node) in self.code.calls() {
                if result.is_err() && self.host.text(source, node).contains(name) {
                    let frame = self.code.frame(source, node.start_byte(), 4);
                    if let Some(size) = self.allocates(name, node, &frame, depth) {
                        result = size;
                    }
                }
            }
        }
        result
    }

    fn is_global(&self, name: &str) -> bool {
        (0..self.host.files).any(|file| {
            let root = self.host.sources[file].tree.root_node();
            named(root).any(|node| {
                node.kind() == "declaration"
                    && named(node).any(|it| declared(it).is_some_and(|it| self.host.text(file, it) == name))
            })
        })
    }

    /// The size that a call or a declaration gives to a variable's buffer; None if it gives none.
    fn allocates(
        &self,
        name: &str,
        node: Node<'a>,
        frame: &Rc<Frame<'a>>,
        depth: usize,
    ) -> Option<Result<Size, Unknown>> {
        let text = |node: Node<'a>| self.host.text(frame.source, node);
        let at = frame.at(node.start_byte());
        let number = |node: Node<'a>| {
            self.evaluator
                .value(node, &at)
                .and_then(|value| value.whole().ok_or_else(|| Unknown(text(node).to_owned())))
        };
        let is_it = |node: Node<'a>| {
            let mut at = node;
            while is_wrapped(at.kind()) {
                let inner = at.child_by_field_name("value").or_else(|| at.child_by_field_name("argument"));
                let inner = inner.or_else(|| at.child_by_field_name("arguments").and_then(|list| named(list).next()));
                let Some(inner) = inner.or_else(|| named(at).last()) else { break };
                at = inner;
            }
            text(at) == name
        };
        match node.kind() {
            "call_expression" if text(node).contains(name) => {
                let (called, given) = self.code.call(frame.source, node)?;
                if let Some((_, pointer, bytes)) = ALLOCATES.iter().find(|(function, ..)| *function == called) {
                    return given
                        .get(*pointer)
                        .is_some_and(|it| is_it(*it))
                        .then(|| number(*given.get(*bytes)?).map(Size::Bytes).into())
                        .flatten();
                }
                // A function that allocates for its caller.
                let place = given.iter().position(|argument| text(*argument).contains('&') && is_it(*argument))?;
                let (source, function) = self.code.functions(called).first().copied().filter(|_| depth < 4)?;
                let parameter = declared(*parameters(function).get(place)?)?;
                let mut inner = Frame { function: Some(function), ..Frame::of(source, function.end_byte()) };
                inner.bind(self.host, function, Rc::new(at), node);
                let size = self.allocated(self.host.text(source, parameter), &Rc::new(inner), depth + 8);
                size.is_ok().then_some(size)
            }
            "assignment_expression" if node.child_by_field_name("left").is_some_and(is_it) => {
                self.made(node.child_by_field_name("right")?, frame, &at, depth)
            }
            "init_declarator" if declared(node).is_some_and(is_it) => {
                let value = node.child_by_field_name("value")?;
                let ty = node.parent()?.child_by_field_name("type").map_or("", text);
                if ty.contains("vector<") {
                    let list = if value.kind() == "argument_list" { named(value).next() } else { None };
                    return list.map(|count| number(count).map(Size::Elements));
                }
                self.made(value, frame, &at, depth)
            }
            // The elements of an array of pointers are buffers of their own.
            "array_declarator" if declared(node).is_some_and(is_it) && !is_pointer_declarator(node) => {
                node.child_by_field_name("size").map(|count| number(count).map(Size::Elements))
            }
            _ => None,
        }
    }

    /// The size of what an expression makes: `malloc`, `new`, a tensor of torch.
    fn made(
        &self,
        value: Node<'a>,
        frame: &Rc<Frame<'a>>,
        at: &Frame<'a>,
        depth: usize,
    ) -> Option<Result<Size, Unknown>> {
        let int = |node: Node<'a>| {
            let whole = |value: Value| value.whole().ok_or_else(|| Unknown(self.text(at, node)));
            self.evaluator.value(node, at).and_then(whole)
        };
        match value.kind() {
            "cast_expression" => self.made(value.child_by_field_name("value")?, frame, at, depth),
            "new_expression" => {
                let count = named(value.child_by_field_name("declarator")?).next()?;
                Some(int(count).map(Size::Elements))
            }
            "call_expression" => {
                let (called, given) = self.code.call(frame.source, value)?;
                match (called, given.as_slice()) {
                    ("malloc" | "mallocCheck", [bytes, ..]) => Some(int(*bytes).map(Size::Bytes)),
                    ("calloc", [count, each]) => {
                        Some(int(*count).and_then(|count| int(*each).map(|each| Size::Bytes(count * each))))
                    }
                    ("empty" | "zeros" | "ones" | "randn" | "rand" | "full", [shape, ..])
                        if shape.kind() == "initializer_list" =>
                    {
                        Some(named(*shape).map(int).product::<Result<i64, _>>().map(Size::Elements))
                    }
                    ("empty_like" | "zeros_like" | "ones_like" | "rand_like", [of, ..]) => {
                        Some(self.buffer(*of, frame, depth + 1)?.size)
                    }
                    ("clone" | "contiguous" | "to" | "cuda" | "transpose" | "t", _) => {
                        let of = value.child_by_field_name("function")?.child_by_field_name("argument")?;
                        Some(self.buffer(of, frame, depth + 1)?.size)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
