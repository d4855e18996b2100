//! The lines of the model that the nodes of a compiled graph come from, as `torch.compile` writes them under `TORCH_COMPILE_DEBUG=1` (`fx_graph_readable.py`).

use std::collections::BTreeMap;

use crate::session::run::computes::ModelLine;

/// The line by the name of a node.
pub fn lines(text: &str) -> BTreeMap<String, ModelLine> {
    let mut lines = BTreeMap::new();
    let mut current: Option<ModelLine> = None;
    for row in text.lines().map(str::trim) {
        if let Some(place) = row.strip_prefix("# File: ") {
            current = place_of(place);
        } else if let (Some(line), Some((left, _))) = (&current, row.split_once(" = ")) {
            let name = left.split(':').next().unwrap_or_default().trim();
            lines.insert(name.to_owned(), line.clone());
        }
    }
    lines
}

/// `/a/model.py:14 in forward, code: y = f(x)`.
fn place_of(text: &str) -> Option<ModelLine> {
    let (place, code) = text.split_once(", code: ")?;
    let (path, line) = place.split(" in ").next()?.rsplit_once(':')?;
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
    Some(ModelLine { file, line: line.parse().ok()?, code: code.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_the_line_above_it() {
        let text = "    # File: /a/model.py:14 in forward, code: y = f(x)\n    mul: \"f32[4]\" = torch.ops.aten.mul.Tensor(a, b);  a = None\n";
        let lines = lines(text);
        assert_eq!(lines["mul"], ModelLine { file: "model.py".into(), line: 14, code: "y = f(x)".into() });
        assert_eq!(lines.len(), 1);
    }
}
