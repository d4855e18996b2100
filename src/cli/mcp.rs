//! `warpbook mcp`: the tracer as tools of a program that edits kernels, by the Model Context Protocol
//! (<https://modelcontextprotocol.io/specification/2025-06-18>): JSON-RPC, a message a line, on standard input and output.
//!
//! A tool runs this program with the options that it is given by name. Files are those below the folder it was started in.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{DONE, out};
use crate::base::diag::Diagnostic;
use crate::base::process::finished;
use crate::session::run::python::named;

/// The version of the protocol.
const VERSION: &str = "2025-06-18";

/// The time after which a tool's run is ended.
const LONGEST: Duration = Duration::from_secs(300);

/// Options of a launch that take one value: the tools' name, the command line's, and what it is.
const SINGLE: [(&str, &str, &str); 9] = [
    ("grid", "--grid", "blocks in x, y and z: 64 or 8,8,1; the file's own launch where it is left out"),
    ("block", "--block", "threads of a block in x, y and z"),
    ("shared", "--shared", "bytes of dynamic shared memory"),
    ("entry", "--entry", "the kernel, where the file has several; of a template an instance: k<float, 4>"),
    ("launch", "--launch", "the number of a launch in the file, as `launches` lists them"),
    ("target", "--target", "the architecture: sm_80, sm_90a, sm_100"),
    ("warps", "--warps", "warps of a block instead of its threads, as Triton has it"),
    ("stages", "--stages", "stages of a function of Triton's, where its loads are pipelined"),
    ("seed", "--seed", "the seed of random contents"),
];

/// Options of a launch that take names with values.
const NAMED: [(&str, &str, &str); 5] = [
    ("args", "--arg", "arguments that are no pointers, by name"),
    (
        "buffers",
        "--buffer",
        "buffers by name: COUNT, COUNT:TYPE or COUNT:TYPE:INIT, where INIT is random, iota, zero or a number",
    ),
    ("define", "--define", "macros of CUDA C++ by name"),
    ("const", "--const", "constants of a function in Python, or overrides of WGSL, by name"),
    ("let", "--let", "values of names in the host's code that the file does not say"),
];

pub(super) fn mcp() -> Result<ExitCode, ExitCode> {
    let failed = |error: std::io::Error| out::failed(Diagnostic::error(error.to_string()));
    let folder = std::env::current_dir().and_then(std::fs::canonicalize).map_err(failed)?;
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line.map_err(failed)?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answer = match serde_json::from_slice::<Value>(&line) {
            Ok(message) if message.is_object() => answer(&folder, &message),
            Ok(_) => Some(error(&Value::Null, -32600, "a message is an object; several at once are not taken")),
            Err(why) => Some(error(&Value::Null, -32700, &format!("this is no JSON: {why}"))),
        };
        answer.iter().for_each(|answer| out::line(&answer.to_string()));
    }
    Ok(DONE)
}

/// The answer to a message; None to a notification.
fn answer(folder: &Path, message: &Value) -> Option<Value> {
    let id = message.get("id")?;
    // An answer of the caller's.
    if message.get("method").is_none() && (message.get("result").is_some() || message.get("error").is_some()) {
        return None;
    }
    let params = message.get("params").unwrap_or(&Value::Null);
    let result = match message.get("method").and_then(Value::as_str) {
        Some("initialize") => json!({
            "protocolVersion": VERSION,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "warpbook", "version": env!("CARGO_PKG_VERSION")},
        }),
        Some("ping") => json!({}),
        Some("tools/list") => json!({"tools": tools()}),
        Some("tools/call") => call(folder, params),
        _ => return Some(error(id, -32601, "there is no such method")),
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// The tools, with what they take.
fn tools() -> Value {
    let file = |what: &str| json!({"type": "string", "description": what});
    let text = json!({"type": ["string", "number"]});
    let mut launch = Map::new();
    for (name, _, what) in SINGLE {
        launch.insert(name.to_owned(), json!({"type": ["string", "number"], "description": what}));
    }
    for (name, _, what) in NAMED {
        let of = json!({"type": "object", "additionalProperties": text, "description": what});
        launch.insert(name.to_owned(), of);
    }
    let tool = |name: &str, what: &str, own: Value, required: &[&str]| {
        let mut properties = launch.clone();
        properties.extend(own.as_object().cloned().unwrap_or_default());
        json!({
            "name": name,
            "description": what,
            "inputSchema": {"type": "object", "properties": properties, "required": required, "additionalProperties": false},
        })
    };
    let kernel = "the path of a .cu, .cuh, .cpp, .ptx or .wgsl file, or FILE.py::NAME, a function of Triton's";
    json!([
        tool(
            "trace",
            "Runs a kernel on the CPU, warp by warp, without a GPU: races, reads out of bounds and of what was never written, at \
             their lines; sectors, bank conflicts and divergence by line; registers and spills; a predicted time.",
            json!({"file": file(kernel)}),
            &["file"],
        ),
        tool(
            "diff",
            "Traces two kernels with one launch, and says which counts and lines changed.",
            json!({"before": file(kernel), "after": file(kernel)}),
            &["before", "after"],
        ),
        tool(
            "assert",
            "Traces a kernel and checks conditions: conflicts == 0, load.sectors_per_request <= 4, races == 0, registers <= 128.",
            json!({"file": file(kernel), "conditions": {"type": "array", "items": {"type": "string"}}}),
            &["file", "conditions"],
        ),
        tool(
            "launches",
            "Lists the kernels and the launches in a .cu file, with what its host code says of their sizes and arguments.",
            json!({"file": file(kernel)}),
            &["file"],
        ),
    ])
}

/// The result of a tool: text, and whether it failed.
fn call(folder: &Path, params: &Value) -> Value {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let given = params.get("arguments").and_then(Value::as_object).cloned().unwrap_or_default();
    let (text, is_error) = match arguments(folder, name, &given).and_then(|arguments| run(folder, &arguments)) {
        Ok((text, is_misused)) => (text, is_misused),
        Err(why) => (why, true),
    };
    json!({"content": [{"type": "text", "text": text}], "isError": is_error})
}

/// The command line of a tool.
///
/// # Errors
/// The argument that is missing or not allowed, in words.
fn arguments(folder: &Path, tool: &str, given: &Map<String, Value>) -> Result<Vec<String>, String> {
    let (files, own): (&[&str], &[&str]) = match tool {
        "trace" => (&["file"], &["--brief"]),
        "diff" => (&["before", "after"], &[]),
        "assert" => (&["file"], &[]),
        "launches" => (&["file"], &["--json"]),
        _ => return Err(format!("there is no tool `{tool}`")),
    };
    let mut line: Vec<String> = std::iter::once(tool).chain(own.iter().copied()).map(str::to_owned).collect();
    let mut rest = Vec::new();
    for (name, value) in given {
        let single = SINGLE.iter().find(|(known, ..)| known == name);
        let named = NAMED.iter().find(|(known, ..)| known == name);
        if files.contains(&name.as_str()) {
            continue;
        } else if let Some((_, option, _)) = single {
            line.push(format!("{option}={}", plain(name, value)?));
        } else if let Some((_, option, _)) = named {
            let values = value.as_object().ok_or_else(|| format!("`{name}` takes an object of names with values"))?;
            for (of, value) in values {
                line.push(format!("{option}={of}={}", plain(of, value)?));
            }
        } else if let (true, Some(conditions)) = (tool == "assert" && name == "conditions", value.as_array()) {
            for condition in conditions {
                rest.push(plain("conditions", condition)?);
            }
        } else {
            return Err(format!("`{tool}` takes no `{name}`"));
        }
    }
    line.push("--".to_owned());
    for name in files {
        let file = given.get(*name).and_then(Value::as_str).ok_or_else(|| format!("`{tool}` needs `{name}`"))?;
        line.push(below(folder, file)?.display().to_string());
    }
    Ok(line.into_iter().chain(rest).collect())
}

fn plain(name: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        // Programs write whole numbers as 32.0, too.
        Value::Number(number) => match number.as_f64() {
            Some(value) if value.fract() == 0.0 && value.abs() < 1e15 => Ok(format!("{value:.0}")),
            _ => Ok(number.to_string()),
        },
        _ => Err(format!("`{name}` takes a text or a number")),
    }
}

/// The path of a file from the folder, if it is below it.
fn below(folder: &Path, file: &str) -> Result<PathBuf, String> {
    let (file, function) = match named(file) {
        Some((python, name)) if python.len() < file.len() => (python, format!("::{name}")),
        _ => (file, String::new()),
    };
    let path = folder.join(file).canonicalize().map_err(|error| format!("cannot read {file}: {error}"))?;
    let inner =
        path.strip_prefix(folder).map_err(|_| format!("{file} is not below the folder that this server serves"))?;
    // With its folder, so that it is no lesson's name.
    Ok(PathBuf::from(format!("./{}{function}", inner.display())))
}

/// The program's output, and whether its exit code says that it was misused.
fn run(folder: &Path, arguments: &[String]) -> Result<(String, bool), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder);
    let ended = finished(command, LONGEST).map_err(|error| format!("warpbook does not end: {error}"))?;
    Ok((ended.said + &ended.log, !matches!(ended.status.code(), Some(0 | 1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_data_and_files_are_below_the_folder() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        std::fs::create_dir(root.join("sub"))?;
        std::fs::write(root.join("sub/k.cu"), "")?;
        let of = |tool: &str, given: Value| arguments(&root, tool, given.as_object().unwrap_or(&Map::new()));
        let line = of("trace", json!({"file": "sub/../sub/k.cu", "grid": 8, "args": {"n": "--json"}}));
        assert_eq!(
            line.map(|line| line.join(" ")),
            Ok("trace --brief --arg=n=--json --grid=8 -- ./sub/k.cu".to_owned())
        );
        let line = of("assert", json!({"file": "sub/k.cu", "conditions": ["races == 0", "--junit"]}));
        assert_eq!(line.map(|line| line.join(" ")), Ok("assert -- ./sub/k.cu races == 0 --junit".to_owned()));
        for (tool, given) in [
            ("trace", json!({"file": "/etc/passwd"})),
            ("trace", json!({"file": "../k.cu"})),
            ("trace", json!({"file": "sub/k.cu", "junit": "x"})),
            ("trace", json!({"file": "sub/k.cu", "args": 3})),
            ("trace", json!({})),
            ("export", json!({"file": "sub/k.cu"})),
        ] {
            assert!(of(tool, given.clone()).is_err(), "{given}");
        }
        Ok(())
    }

    #[test]
    fn a_notification_has_no_answer() {
        let of = |message: Value| answer(Path::new("."), &message);
        assert_eq!(of(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})), None);
        let unknown = of(json!({"jsonrpc": "2.0", "id": 1, "method": "none"})).unwrap_or_default();
        assert_eq!(unknown["error"]["code"], -32601);
        let tools = of(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})).unwrap_or_default();
        assert_eq!(tools["result"]["tools"].as_array().map(Vec::len), Some(4));
    }
}
