//! The fonts that the program brings along: their licences are in `assets/fonts/LICENSES.md`.

/// Prose.
pub static SERIF: &[u8] = include_bytes!("../../../assets/fonts/CharisSIL-Regular.ttf");
/// Emphasis in prose.
pub static SERIF_ITALIC: &[u8] = include_bytes!("../../../assets/fonts/CharisSIL-Italic.ttf");
/// Strong emphasis in prose, and headings.
pub static SERIF_BOLD: &[u8] = include_bytes!("../../../assets/fonts/CharisSIL-Bold.ttf");
/// Labels and tables.
pub static SANS: &[u8] = include_bytes!("../../../assets/fonts/Roboto-Regular.ttf");
/// Titles.
pub static SANS_MEDIUM: &[u8] = include_bytes!("../../../assets/fonts/Roboto-Medium.ttf");
/// Code.
pub static MONO: &[u8] = include_bytes!("../../../assets/fonts/JetBrainsMono-Regular.ttf");
/// The characters of East Asia that the lessons use.
pub static EAST_ASIA: &[u8] = include_bytes!("../../../assets/fonts/NotoSansCJK-Subset.otf");
pub static DEVANAGARI: &[u8] = include_bytes!("../../../assets/fonts/NotoSansDevanagari-Subset.ttf");
