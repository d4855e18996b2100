//! Type and colour: the scene's palette as egui's styles, and the fonts that the repository carries.

use std::sync::Arc;

use egui::{Color32, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Stroke, Visuals};

use crate::figures::palette::{Hue, Ink, Theme};

/// Body text, in points.
pub const BODY: f32 = 17.0;
/// Text in tables, in points.
pub const TABLE: f32 = 14.5;
/// The source beside the stage, in points.
pub const CODE: f32 = 12.5;
/// Live values within prose, relative to it.
pub const VALUE: f32 = 0.94;
/// Code within prose, relative to it.
pub const INLINE_CODE: f32 = 0.86;
/// Text of controls and panels, in points.
pub const UI: f32 = 14.0;
/// The smallest text, in points.
pub const SMALL: f32 = 12.5;
/// The unit of the layout grid, in points.
pub const GRID: f32 = 8.0;

#[must_use]
pub fn prose(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name("prose".into()))
}

/// Emphasised prose.
#[must_use]
pub fn prose_italic(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name("prose-italic".into()))
}

/// Strong prose, and headings.
#[must_use]
pub fn prose_bold(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name("prose-bold".into()))
}

/// Titles of panels and names of things.
#[must_use]
pub fn medium(size: f32) -> FontId {
    FontId::new(size, FontFamily::Name("ui-medium".into()))
}

/// Code and figures in columns.
#[must_use]
pub fn mono(size: f32) -> FontId {
    FontId::new(size, FontFamily::Monospace)
}

/// The fonts, each with egui's own as its fallback for rare characters.
#[must_use]
pub fn fonts() -> FontDefinitions {
    let mut fonts = FontDefinitions::default();
    let own: [(&str, &[u8]); 8] = [
        ("prose", crate::fonts::SERIF),
        ("prose-italic", crate::fonts::SERIF_ITALIC),
        ("prose-bold", crate::fonts::SERIF_BOLD),
        ("ui", crate::fonts::SANS),
        ("ui-medium", crate::fonts::SANS_MEDIUM),
        ("mono", crate::fonts::MONO),
        ("han", crate::fonts::EAST_ASIA),
        ("devanagari", crate::fonts::DEVANAGARI),
    ];
    for (name, bytes) in own {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
    }
    // The characters of the texts to compare; others come from the computer's fonts.
    let scripts = ["han".to_owned(), "devanagari".to_owned()];
    let fallback = |family| [fonts.families.get(family).cloned().unwrap_or_default(), scripts.to_vec()].concat();
    let mono_fallback = fallback(&FontFamily::Monospace);
    let fallback = fallback(&FontFamily::Proportional);
    let with = |first: &str, rest: &[String]| {
        let mut names = vec![first.to_owned()];
        names.extend(rest.iter().cloned());
        names
    };
    for name in ["prose", "prose-italic", "prose-bold", "ui-medium"] {
        fonts.families.insert(FontFamily::Name(name.into()), with(name, &with("ui", &fallback)));
    }
    fonts.families.insert(FontFamily::Proportional, with("ui", &fallback));
    fonts.families.insert(FontFamily::Monospace, with("mono", &with("ui", &mono_fallback)));
    fonts
}

/// Draws every letter once in the faces and sizes of prose, so that the first page in each does not pay for it.
pub fn warm(ui: &egui::Ui) {
    // A letter is drawn anew for each quarter of a point that it can begin at: several in a row begin at most of them.
    let letters: String = (' '..='~').chain("–—’“”·×µ".chars()).flat_map(|c| [c; 5]).collect();
    let fonts = [BODY, TABLE].into_iter().flat_map(|size| {
        [prose(size), prose_bold(size), prose_italic(size), medium(size * VALUE), mono(size * INLINE_CODE)]
    });
    for font in fonts.chain([prose_bold(26.0), prose_bold(20.0), mono(CODE)]) {
        let _drawn = ui.painter().layout_no_wrap(letters.clone(), font, Color32::PLACEHOLDER);
    }
}

/// The palette's colour for egui.
#[must_use]
pub fn color(theme: Theme, ink: Ink) -> Color32 {
    let [r, g, b] = theme.rgb(ink);
    Color32::from_rgb(r, g, b)
}

/// The palette that a `Ui` is drawn with.
#[must_use]
pub fn of(ui: &egui::Ui) -> Theme {
    if ui.visuals().dark_mode { Theme::Dark } else { Theme::Light }
}

/// Gives a context its fonts and the styles of both themes.
pub fn install(ctx: &egui::Context) {
    ctx.set_fonts(fonts());
    for (theme, palette) in [(egui::Theme::Dark, Theme::Dark), (egui::Theme::Light, Theme::Light)] {
        ctx.style_mut_of(theme, |style| {
            style.visuals = visuals(palette);
            style.spacing.item_spacing = egui::vec2(GRID, GRID);
            style.spacing.button_padding = egui::vec2(10.0, 4.0);
            style.spacing.interact_size.y = 28.0;
            style.spacing.scroll = egui::style::ScrollStyle::thin();
            style.interaction.selectable_labels = false;
            style.text_styles.insert(egui::TextStyle::Body, FontId::proportional(UI));
            style.text_styles.insert(egui::TextStyle::Button, FontId::proportional(UI));
            style.text_styles.insert(egui::TextStyle::Small, FontId::proportional(SMALL));
            style.text_styles.insert(egui::TextStyle::Monospace, mono(13.0));
        });
    }
}

fn visuals(theme: Theme) -> Visuals {
    let c = |ink| color(theme, ink);
    let mut v = if theme == Theme::Dark { Visuals::dark() } else { Visuals::light() };
    v.panel_fill = c(Ink::Panel);
    v.window_fill = c(Ink::Raised);
    v.extreme_bg_color = c(Ink::Raised);
    v.faint_bg_color = c(Ink::Raised);
    v.code_bg_color = c(Ink::Raised);
    v.window_stroke = Stroke::new(1.0, c(Ink::Faint));
    v.hyperlink_color = c(Ink::Accent);
    v.selection.bg_fill = c(Hue::Accent.tint(35));
    v.selection.stroke = Stroke::new(1.0, c(Ink::Text));
    v.widgets.noninteractive.fg_stroke = Stroke::new(1.0, c(Ink::Text));
    v.widgets.noninteractive.bg_stroke = Stroke::new(1.0, c(Ink::Faint));
    let states = [
        (&mut v.widgets.inactive, Ink::Raised, Ink::Faint),
        (&mut v.widgets.hovered, Ink::Faint, Ink::Muted),
        (&mut v.widgets.active, Ink::Faint, Ink::Accent),
        (&mut v.widgets.open, Ink::Raised, Ink::Muted),
    ];
    for (widget, fill, outline) in states {
        widget.bg_fill = c(fill);
        widget.weak_bg_fill = c(fill);
        widget.bg_stroke = Stroke::new(1.0, c(outline));
        widget.fg_stroke = Stroke::new(1.0, c(Ink::Text));
        widget.corner_radius = CornerRadius::same(4);
        widget.expansion = 0.0;
    }
    v
}

/// Small text over as many lines as it takes, and `most` of them at most.
pub fn lines(ui: &egui::Ui, text: &str, ink: Ink, most: usize) -> egui::Label {
    let color = color(of(ui), ink);
    let mut job =
        egui::text::LayoutJob::simple(text.to_owned(), FontId::proportional(SMALL), color, ui.available_width());
    job.wrap.max_rows = most;
    egui::Label::new(job)
}
