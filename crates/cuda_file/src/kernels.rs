//! The kernels that a CUDA C++ file defines.

use crate::host::{Code, Host};

/// A kernel, as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    pub name: String,
    /// Its name with its parameters.
    pub signature: String,
    /// The parameters of its template; None if it is none.
    pub template: Option<String>,
    /// The file, by its index, and the line, from 0.
    pub place: (usize, usize),
}

/// The kernels of texts, a file and those that it includes, in their order.
#[must_use]
pub fn kernels(texts: &[&str]) -> Vec<Kernel> {
    let host = Host::new(texts);
    let code = Code::of(&host);
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let kernel = |(name, source, definition): (&str, usize, tree_sitter::Node<'_>)| {
        let declarator = definition.child_by_field_name("declarator")?;
        let text = &host.sources[source].text;
        text[definition.start_byte()..declarator.start_byte()].contains("__global__").then_some(())?;
        let template = definition.parent().filter(|parent| parent.kind() == "template_declaration");
        let template = template.and_then(|template| template.child_by_field_name("parameters"));
        let inner = |text: &str| plain(text.trim_start_matches('<').trim_end_matches('>'));
        Some(Kernel {
            name: name.to_owned(),
            signature: plain(host.text(source, declarator)),
            template: template.map(|parameters| inner(host.text(source, parameters))),
            place: host.place(source, declarator.start_byte()),
        })
    };
    let mut found: Vec<Kernel> = code.all_functions().filter_map(kernel).collect();
    found.sort_by_key(|kernel| kernel.place);
    found
}
