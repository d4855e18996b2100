//! Colours by meaning: one thing has one colour everywhere, in a dark and a light theme.
//!
//! The hues follow Okabe & Ito's set, which readers with any common colour vision can tell apart; each theme
//! shifts their lightness until they can be read as text on its panel.

use crate::trace::banks::BANKS;

/// A colour by what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ink {
    /// Words.
    Text,
    /// Words of second rank.
    Muted,
    /// Grid lines and empty places. Not for text.
    Faint,
    /// The ground that everything is drawn on.
    Panel,
    /// A card on the panel.
    Raised,
    /// Words on a strong filling.
    On,
    /// Reads of global memory.
    Load,
    /// Writes of global memory.
    Store,
    /// Atomics on global memory.
    Atomic,
    /// Workgroup memory.
    Shared,
    /// Lanes that do nothing.
    Idle,
    /// Bank conflicts.
    Conflict,
    /// Bytes moved that no lane asked for.
    Waste,
    /// The one accent: where the reader is.
    Accent,
    /// A curve, by its position in the legend.
    Series(u8),
    /// A third of a curve's colour, the rest panel.
    Pale(u8),
    /// A quantity from none (0) to most (255).
    Heat(u8),
    /// This many percent of a hue, the rest panel.
    Tint(Hue, u8),
    /// A bank of workgroup memory, from 0, and how many percent of its colour, the rest panel. After the last comes the first again.
    Bank(u8, u8),
}

/// The meanings that also come in weaker tints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hue {
    /// As [`Ink::Load`].
    Load,
    /// As [`Ink::Store`].
    Store,
    /// As [`Ink::Atomic`].
    Atomic,
    /// As [`Ink::Shared`].
    Shared,
    /// As [`Ink::Idle`].
    Idle,
    /// As [`Ink::Conflict`].
    Conflict,
    /// As [`Ink::Waste`].
    Waste,
    /// As [`Ink::Accent`].
    Accent,
}

/// The set of colours in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Light on dark.
    Dark,
    /// Dark on light.
    Light,
}

/// An sRGB colour: red, green, blue.
pub type Rgb = [u8; 3];

/// How many different [`Ink::Series`] there are; further ones begin again.
pub const SERIES: u8 = 6;

impl Hue {
    /// The hue at full strength.
    #[must_use]
    pub fn ink(self) -> Ink {
        match self {
            Self::Load => Ink::Load,
            Self::Store => Ink::Store,
            Self::Atomic => Ink::Atomic,
            Self::Shared => Ink::Shared,
            Self::Idle => Ink::Idle,
            Self::Conflict => Ink::Conflict,
            Self::Waste => Ink::Waste,
            Self::Accent => Ink::Accent,
        }
    }

    /// This many percent of it, the rest panel.
    #[must_use]
    pub fn tint(self, percent: u8) -> Ink {
        Ink::Tint(self, percent)
    }
}

impl Theme {
    /// The colour that `ink` has in this theme.
    #[must_use]
    pub fn rgb(self, ink: Ink) -> Rgb {
        // Each pair is dark theme, light theme.
        let [dark, light] = match ink {
            Ink::Text => [0xE8EAED, 0x1B1F24],
            Ink::Muted => [0xA3ABB8, 0x59626F],
            Ink::Faint => [0x343B46, 0xD9DEE4],
            Ink::Panel => [0x14171C, 0xFFFFFF],
            Ink::Raised => [0x1C2129, 0xF4F6F8],
            Ink::On => [0x0E1013, 0xFFFFFF],
            Ink::Load => [0x56B4E9, 0x0072B2],
            Ink::Store => [0xE69F00, 0xA35F00],
            Ink::Atomic => [0xD98BB6, 0xA03A75],
            Ink::Shared => [0x2CC295, 0x007A58],
            Ink::Idle => [0x5D6674, 0xA9B1BC],
            Ink::Conflict => [0xF2743F, 0xC03A00],
            Ink::Waste => [0xC4B560, 0x756600],
            Ink::Accent => [0xA99BFF, 0x5546CF],
            Ink::Series(index) => match index % SERIES {
                0 => [0x56B4E9, 0x0072B2],
                1 => [0xE69F00, 0xA35F00],
                2 => [0x2CC295, 0x00805D],
                3 => [0xD98BB6, 0x96226B],
                4 => [0xF0E442, 0xAE8C00],
                _ => [0xF0F2F5, 0x8A9099],
            },
            Ink::Pale(index) => return mix(self.rgb(Ink::Panel), self.rgb(Ink::Series(index)), 0.33),
            Ink::Heat(level) => return heat(level),
            Ink::Tint(hue, percent) => {
                let share = f32::from(percent.min(100)) / 100.0;
                return mix(self.rgb(Ink::Panel), self.rgb(hue.ink()), share);
            }
            Ink::Bank(bank, percent) => {
                let share = f32::from(percent.min(100)) / 100.0;
                return mix(self.rgb(Ink::Panel), self.bank(bank), share);
            }
        };
        let [_, r, g, b] = u32::to_be_bytes(match self {
            Self::Dark => dark,
            Self::Light => light,
        });
        [r, g, b]
    }

    /// Once around the hues of OKLCh (Ottosson 2020) for all banks. Red and green, which some viewers confuse, differ in lightness.
    fn bank(self, bank: u8) -> Rgb {
        const CHROMA: f32 = 0.13;
        let [lightness, swing] = match self {
            Self::Dark => [0.75, 0.11],
            Self::Light => [0.45, 0.09],
        };
        let (sin, cos) = (f32::from(bank) / BANKS as f32 * std::f32::consts::TAU).sin_cos();
        oklab([lightness - swing * cos, CHROMA * cos, CHROMA * sin])
    }

    /// The colour as CSS writes it: `#56b4e9`.
    #[must_use]
    pub fn css(self, ink: Ink) -> String {
        let [r, g, b] = self.rgb(ink);
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}

/// From dark blue to bright yellow through grey: lightness rises evenly, and hue differs along the blue-yellow axis,
/// which the common kinds of colour blindness keep (after Nuñez, Anderton & Renslow 2018).
fn heat(level: u8) -> Rgb {
    const STOPS: [Rgb; 5] = [[0, 34, 78], [66, 78, 108], [124, 123, 120], [187, 173, 109], [255, 234, 70]];
    let position = f32::from(level) / 255.0 * (STOPS.len() - 1) as f32;
    let low = (position as usize).min(STOPS.len() - 2);
    mix(STOPS[low], STOPS[low + 1], position - low as f32)
}

/// The sRGB colour, or the nearest one by channel, of OKLab's lightness, red against green, yellow against blue.
fn oklab([l, a, b]: [f32; 3]) -> Rgb {
    let [l, m, s] = [
        l + 0.396_337_78 * a + 0.215_803_76 * b,
        l - 0.105_561_346 * a - 0.063_854_17 * b,
        l - 0.089_484_18 * a - 1.291_485_5 * b,
    ]
    .map(|cone| cone.powi(3));
    let linear = [
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s,
        -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    ];
    linear.map(|c| {
        let c = if c <= 0.003_130_8 { 12.92 * c.max(0.0) } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
        (c.min(1.0) * 255.0).round() as u8
    })
}

/// `share` of `b` and the rest of `a`, in sRGB.
fn mix(a: Rgb, b: Rgb, share: f32) -> Rgb {
    std::array::from_fn(|i| (f32::from(a[i]) * (1.0 - share) + f32::from(b[i]) * share).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(c: u8) -> f64 {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    }

    /// Relative luminance, WCAG 2.2.
    fn luminance(rgb: Rgb) -> f64 {
        0.2126 * linear(rgb[0]) + 0.7152 * linear(rgb[1]) + 0.0722 * linear(rgb[2])
    }

    /// Contrast ratio, WCAG 2.2.
    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// CIE L*a*b* under D65.
    fn lab(linear: [f64; 3]) -> [f64; 3] {
        let [r, g, b] = linear;
        let f = |t: f64| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
        let x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
        let y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
        let z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// How each kind of viewer sees a colour: full vision, then protanopia and deuteranopia
    /// (Machado, Oliveira & Fernandes 2009, severity 1, on linear RGB).
    fn seen(rgb: Rgb) -> [[f64; 3]; 3] {
        const KINDS: [[[f64; 3]; 3]; 3] = [
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            [
                [0.152_286, 1.052_583, -0.204_868],
                [0.114_503, 0.786_281, 0.099_216],
                [-0.003_882, -0.048_116, 1.051_998],
            ],
            [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]],
        ];
        let c = rgb.map(linear);
        KINDS.map(|m| lab(m.map(|row| (row[0] * c[0] + row[1] * c[1] + row[2] * c[2]).clamp(0.0, 1.0))))
    }

    /// The least difference (CIE76) between two colours over all viewers.
    fn difference(a: Rgb, b: Rgb) -> f64 {
        let (a, b) = (seen(a), seen(b));
        (0..3)
            .map(|kind| (0..3).map(|i| (a[kind][i] - b[kind][i]).powi(2)).sum::<f64>().sqrt())
            .fold(f64::INFINITY, f64::min)
    }

    const THEMES: [Theme; 2] = [Theme::Dark, Theme::Light];
    const HUES: [Hue; 7] = [Hue::Load, Hue::Store, Hue::Atomic, Hue::Shared, Hue::Conflict, Hue::Waste, Hue::Accent];

    #[test]
    fn words_can_be_read() {
        for theme in THEMES {
            let words = [Ink::Text, Ink::Muted].into_iter().chain(HUES.map(Hue::ink));
            for ink in words {
                for ground in [Ink::Panel, Ink::Raised] {
                    let ratio = contrast(theme.rgb(ink), theme.rgb(ground));
                    assert!(ratio >= 4.5, "{theme:?} {ink:?} on {ground:?}: {ratio:.2}");
                }
            }
            for hue in HUES {
                let ratio = contrast(theme.rgb(Ink::On), theme.rgb(hue.ink()));
                assert!(ratio >= 4.5, "{theme:?} on {hue:?}: {ratio:.2}");
            }
        }
    }

    #[test]
    fn curves_can_be_told_apart_by_all_viewers() {
        for theme in THEMES {
            for a in 0..SERIES {
                let apart = contrast(theme.rgb(Ink::Series(a)), theme.rgb(Ink::Panel));
                assert!(apart >= 3.0, "{theme:?} series {a} on its panel: {apart:.2}");
                for b in 0..a {
                    let d = difference(theme.rgb(Ink::Series(a)), theme.rgb(Ink::Series(b)));
                    assert!(d >= 12.0, "{theme:?} series {a} and {b}: {d:.1}");
                }
            }
        }
    }

    #[test]
    fn things_can_be_told_apart_by_all_viewers() {
        // Pairs that meet in one picture. A touched word lies beside wasted ones and beside those never moved.
        let pairs = [
            (Ink::Load, Ink::Tint(Hue::Waste, 35)),
            (Ink::Store, Ink::Tint(Hue::Waste, 35)),
            (Ink::Atomic, Ink::Tint(Hue::Waste, 35)),
            (Ink::Tint(Hue::Waste, 35), Ink::Panel),
            (Ink::Shared, Ink::Conflict),
            (Ink::Load, Ink::Store),
            (Ink::Load, Ink::Atomic),
            (Ink::Load, Ink::Shared),
            (Ink::Store, Ink::Shared),
            (Ink::Load, Ink::Idle),
        ];
        for theme in THEMES {
            for (a, b) in pairs {
                let d = difference(theme.rgb(a), theme.rgb(b));
                assert!(d >= 12.0, "{theme:?} {a:?} and {b:?}: {d:.1}");
            }
        }
    }

    #[test]
    fn banks_are_a_circle_of_colours() {
        for theme in THEMES {
            let bank = |bank: u32| theme.rgb(Ink::Bank((bank % BANKS) as u8, 100));
            for a in 0..BANKS {
                let ratio = contrast(theme.rgb(Ink::On), bank(a));
                assert!(ratio >= 4.5, "{theme:?} on bank {a}: {ratio:.2}");
                // Neighbours are a small step apart, all steps alike; all viewers can distinguish other pairs.
                let step = (0..3).map(|i| (seen(bank(a))[0][i] - seen(bank(a + 1))[0][i]).powi(2)).sum::<f64>().sqrt();
                assert!((4.0..16.0).contains(&step), "{theme:?} bank {a} and the next: {step:.1}");
                for apart in 8..=BANKS - 8 {
                    let d = difference(bank(a), bank(a + apart));
                    assert!(d >= 12.0, "{theme:?} banks {a} and {}: {d:.1}", a + apart);
                }
            }
            assert_eq!(theme.rgb(Ink::Bank(3, 0)), theme.rgb(Ink::Panel));
        }
    }

    #[test]
    fn heat_grows_lighter() {
        let light: Vec<f64> = (0..=255).map(|level| luminance(heat(level))).collect();
        assert!(light.windows(2).all(|pair| pair[1] >= pair[0] - 1e-3));
        assert!(light[255] > light[0] + 0.6);
        assert_eq!(heat(255), [255, 234, 70]);
    }
}
