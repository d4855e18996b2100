//! Values, as C++ computes them.

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Int(i64),
    Float(f64),
    Dim([i64; 3]),
    List(Vec<Value>),
    Text(String),
}

/// The name or the expression that cannot be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown(pub String);

/// A value, or the expression that is unknown.
pub type Known = Result<Value, Unknown>;

impl Value {
    /// A whole number, or another.
    pub fn of(value: f64) -> Self {
        if value.fract() == 0.0 && value.abs() < 9e15 { Self::Int(value as i64) } else { Self::Float(value) }
    }

    /// A number as an integer, cut where it is a float.
    pub fn whole(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Float(value) => Some(*value as i64),
            _ => None,
        }
    }

    /// A number as a float.
    pub fn real(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            _ => None,
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Dim([x, y, z]) => write!(f, "{x},{y},{z}"),
            Self::List(list) => write!(f, "{}", list.iter().map(Self::to_string).collect::<Vec<_>>().join(",")),
            Self::Text(text) => f.write_str(text),
        }
    }
}

pub fn is_rounded_up(name: &str) -> bool {
    let plain: String = name.to_ascii_lowercase().split('_').collect();
    matches!(plain.as_str(), "ceildiv" | "cdiv" | "divup" | "idivup" | "divceil" | "iceildiv" | "ceiling" | "updiv")
}

/// The value of a literal.
pub fn number(text: &str) -> Option<Value> {
    let text = text.replace('\'', "");
    let lower = text.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        return i64::from_str_radix(digits.trim_end_matches(['u', 'l']), 16).ok().map(Value::Int);
    }
    if lower.len() > 1 && lower.starts_with('0') && lower.chars().all(|c| c.is_digit(8) || matches!(c, 'u' | 'l')) {
        return i64::from_str_radix(lower.trim_end_matches(['u', 'l']), 8).ok().map(Value::Int);
    }
    let plain = lower.trim_end_matches(['u', 'l', 'z']);
    if let Ok(value) = plain.parse() {
        return Some(Value::Int(value));
    }
    lower.trim_end_matches(['f', 'l']).parse().ok().map(Value::Float)
}

pub fn binary(operator: &str, left: &Value, right: &Value) -> Option<Value> {
    if let (Value::Int(a), Value::Int(b)) = (left, right) {
        let (a, b) = (*a, *b);
        let shift = u32::try_from(b).ok();
        let value = match operator {
            "+" => a.checked_add(b),
            "-" => a.checked_sub(b),
            "*" => a.checked_mul(b),
            "/" => a.checked_div(b),
            "%" => a.checked_rem(b),
            "<<" => shift.and_then(|shift| a.checked_shl(shift)),
            ">>" => shift.and_then(|shift| a.checked_shr(shift)),
            "&" => Some(a & b),
            "|" => Some(a | b),
            "^" => Some(a ^ b),
            "<" => Some(i64::from(a < b)),
            ">" => Some(i64::from(a > b)),
            "<=" => Some(i64::from(a <= b)),
            ">=" => Some(i64::from(a >= b)),
            "==" => Some(i64::from(a == b)),
            "!=" => Some(i64::from(a != b)),
            "&&" | "and" => Some(i64::from(a != 0 && b != 0)),
            "||" | "or" => Some(i64::from(a != 0 || b != 0)),
            _ => None,
        };
        return value.map(Value::Int);
    }
    let (a, b) = (left.real()?, right.real()?);
    match operator {
        "+" => Some(Value::Float(a + b)),
        "-" => Some(Value::Float(a - b)),
        "*" => Some(Value::Float(a * b)),
        "/" => Some(Value::Float(a / b)),
        "<" => Some(Value::Int(i64::from(a < b))),
        ">" => Some(Value::Int(i64::from(a > b))),
        "<=" => Some(Value::Int(i64::from(a <= b))),
        ">=" => Some(Value::Int(i64::from(a >= b))),
        _ => None,
    }
}

/// Words of the types of integers.
const WHOLE: [&str; 19] = [
    "int",
    "unsigned",
    "signed",
    "long",
    "short",
    "char",
    "bool",
    "uint",
    "size_t",
    "ssize_t",
    "ptrdiff_t",
    "int8_t",
    "uint8_t",
    "int16_t",
    "uint16_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
];

/// A value as a type has it: floats are cut to integers.
pub fn as_type(ty: &str, value: Value) -> Option<Value> {
    if ty.contains('*') {
        return None;
    }
    let is_float = ty.contains("float") || ty.contains("double") || ty.contains("half");
    let has = |word: &str| ty.split_whitespace().any(|of| of.rsplit("::").next() == Some(word));
    let is_auto = ty == "auto" || ty.contains("decltype");
    let value = match value {
        Value::Int(value) if is_float => Value::Float(value as f64),
        Value::Float(value) if WHOLE.iter().any(|word| has(word)) => Value::Int(value as i64),
        // The conversion to a type that is not known here gives an unknown value.
        Value::Float(_) if !is_float && !is_auto => return None,
        value => value,
    };
    let Value::Int(whole) = value else { return Some(value) };
    let is_long = has("long") || has("size_t") || ty.contains("64");
    Some(Value::Int(match () {
        () if is_long => whole,
        () if has("uint8_t") || (has("unsigned") && has("char")) => i64::from(whole as u8),
        () if has("char") || has("int8_t") => i64::from(whole as i8),
        () if has("uint16_t") || (has("unsigned") && has("short")) => i64::from(whole as u16),
        () if has("short") || has("int16_t") => i64::from(whole as i16),
        () if has("unsigned") || has("uint") || has("uint32_t") => i64::from(whole as u32),
        () if has("int") || has("int32_t") => i64::from(whole as i32),
        () if has("bool") => i64::from(whole != 0),
        () => whole,
    }))
}

/// A dim3 of up to three numbers.
pub fn dimensions(value: &Value) -> Option<Value> {
    match value {
        Value::Dim(_) => Some(value.clone()),
        Value::List(list) if list.len() == 1 && list[0].whole().is_none() => dimensions(&list[0]),
        Value::List(list) if list.len() <= 3 => {
            let mut dim = [1; 3];
            for (at, value) in list.iter().enumerate() {
                dim[at] = value.whole()?;
            }
            Some(Value::Dim(dim))
        }
        value => value.whole().map(|x| Value::Dim([x, 1, 1])),
    }
}
