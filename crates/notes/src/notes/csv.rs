//! Tables as comma-separated values (RFC 4180).

use crate::base::sanitize::harmless;
use crate::base::units::{number, si};

/// A header and rows; lines end in CR LF, and fields are quoted where they must be. What a spreadsheet would compute
/// gets an apostrophe in front.
#[must_use]
pub fn csv(header: &[String], rows: &[Vec<String>]) -> String {
    let mut out = String::new();
    for row in std::iter::once(header).chain(rows.iter().map(Vec::as_slice)) {
        let fields: Vec<String> = row.iter().map(|text| field(text)).collect();
        // A row of one empty field would read as no row at all.
        let line = if fields.len() == 1 && fields[0].is_empty() { "\"\"".to_owned() } else { fields.join(",") };
        out.push_str(&line);
        out.push_str("\r\n");
    }
    out
}

/// The column of single samples, with all of a row's in one field.
pub const SAMPLES: &str = "samples_s";

/// Units by the end of a column's name in the data, and what that end is on a page.
const UNITS: [(&str, &str, &str); 3] =
    [("bytes_per_s", "B/s", "bytes/s"), ("flops_per_s", "FLOP/s", "FLOP/s"), ("_s", "s", "")];

/// The name of a column on a page, and the unit of its numbers, where that is known from its name.
fn column(name: &str) -> (String, Option<&'static str>) {
    let known = UNITS.iter().find_map(|(end, unit, said)| Some((name.strip_suffix(end)?, *unit, *said)));
    known.map_or_else(|| (name.to_owned(), None), |(stem, unit, said)| (format!("{stem}{said}"), Some(unit)))
}

/// A cell on a page: times and rates with their unit to three digits, counts with commas between thousands. The CSV
/// file has every digit.
fn cell(text: &str, unit: Option<&str>) -> String {
    let Some(value) = text.parse::<f64>().ok().filter(|value| value.is_finite()) else { return text.to_owned() };
    // A short number, such as a swept parameter's, keeps its digits.
    let is_short = value.fract() != 0.0 && text.len() <= 7;
    match unit {
        Some(unit) => si(value, unit),
        None if is_short => text.to_owned(),
        None => number(value),
    }
}

/// The columns that a table on a page has: those with something in them, without the single samples.
pub(super) fn to_read(header: &[String], rows: &[Vec<String>]) -> (Vec<String>, Vec<Vec<String>>) {
    let has_any =
        |column: usize| rows.is_empty() || rows.iter().any(|row| row.get(column).is_some_and(|cell| !cell.is_empty()));
    let kept: Vec<usize> = (0..header.len()).filter(|i| header[*i] != SAMPLES && has_any(*i)).collect();
    let columns: Vec<_> = kept.iter().map(|i| (*i, column(&header[*i]))).collect();
    let of = |row: &[String]| -> Vec<String> {
        let cells = columns.iter().map(|(i, (_, unit))| row.get(*i).map_or_else(String::new, |text| cell(text, *unit)));
        cells.collect()
    };
    (columns.iter().map(|(_, (name, _))| name.clone()).collect(), rows.iter().map(|row| of(row)).collect())
}

/// Whether a spreadsheet would take the text for a formula.
fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t']) && text.parse::<f64>().is_err()
}

fn field(text: &str) -> String {
    let text = &*harmless(text);
    if is_formula(text) {
        return field(&format!("'{text}"));
    }
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(fields: &[&str]) -> Vec<String> {
        fields.iter().map(|f| (*f).to_owned()).collect()
    }

    #[test]
    fn no_field_is_a_formula() {
        let fields = own(&["=HYPERLINK(\"x\")", "-1.5e-3", "-x", "@a", "+1", "a=b"]);
        assert_eq!(csv(&fields, &[]), "\"'=HYPERLINK(\"\"x\"\")\",-1.5e-3,'-x,'@a,+1,a=b\r\n");
    }

    #[test]
    fn a_table_to_read_has_no_samples_and_no_empty_columns() {
        let header = own(&["n", "library", "median_s", SAMPLES]);
        let rows = [own(&["65536", "", "0.0000025373", "2e-6 3e-6"]), own(&["0.9995", "", "", ""])];
        let (header, rows) = to_read(&header, &rows);
        assert_eq!(header, own(&["n", "median"]));
        assert_eq!(rows, [own(&["65,536", "2.54 µs"]), own(&["0.9995", ""])]);
    }

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let rows = [own(&["1", "a,b"]), own(&["say \"x\"", "two\nlines"]), own(&["", " kept "])];
        assert_eq!(
            csv(&own(&["n", "B/s"]), &rows),
            "n,B/s\r\n1,\"a,b\"\r\n\"say \"\"x\"\"\",\"two\nlines\"\r\n, kept \r\n"
        );
        assert_eq!(csv(&own(&[""]), &[]), "\"\"\r\n");
        assert_eq!(csv(&own(&["a\u{1b}[31m", "\0\u{9b}"]), &[]), "a\u{fffd}[31m,\u{fffd}\u{fffd}\r\n");
    }
}
