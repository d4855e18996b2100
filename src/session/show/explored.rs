//! An explorer as a page shows it: its picture, where the reader can take hold, and its controls. Each question carries the point, so that
//! nothing is kept between two of them.

use serde::{Deserialize, Serialize};

use crate::figures::explore::control::Offered;
use crate::figures::explore::{self, ExploreView};
use crate::figures::svg;
use crate::reference::Explored;

/// The greatest width of a picture, in points.
const MOST: f32 = 760.0;

/// A change by the reader.
#[derive(Debug, Serialize, Deserialize)]
pub enum Turn {
    /// A control's number, by the control's place.
    Control(usize, f64),
    /// The number of a bar, by the bar's place in the picture.
    Handle(usize, f64),
    /// The text.
    Text(String),
}

/// An explorer at a point.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The point.
    pub at: Explored,
    /// The picture as SVG, and its size in points.
    pub svg: String,
    pub size: [f32; 2],
    /// The bars that can be dragged.
    pub handles: Vec<Held>,
    /// The Jacobian's entries, row by row: left, top, width, height.
    pub cells: Vec<[f32; 4]>,
    /// The controls, and whether they are above the picture.
    pub controls: Vec<Offered>,
    pub controls_first: bool,
}

/// A bar that can be dragged.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// Its name, for screen readers.
    pub name: String,
    /// Left, top, width, height. Its left end is `-most`, its right end `most`.
    pub rect: [f32; 4],
    pub value: f64,
    pub most: f64,
}

/// The explorer of this name at a point, after the reader's change.
///
/// # Errors
/// If there is no such explorer or control.
pub fn shown(
    name: &str,
    at: &Explored,
    turn: Option<Turn>,
    spelled: (usize, usize),
    width: f32,
) -> Result<Shown, String> {
    let explorer = explore::find(name).ok_or_else(|| format!("there is no explorer `{name}`"))?;
    let width = if width.is_finite() { width.min(MOST) } else { explore::LEAST };
    let mut at = at.clone().within_bounds();
    let drawn = |at: &Explored| {
        let last = at.logits.len() - 1;
        let spelled = (spelled.0.min(last), spelled.1.min(last));
        explore::picture(&ExploreView { explorer, at, spelled, width })
    };
    match turn {
        Some(Turn::Control(place, value)) => {
            explorer.controls.get(place).ok_or("there is no such control")?.set(&mut at, value);
        }
        Some(Turn::Handle(place, value)) => {
            let handle = *drawn(&at).handles.get(place).ok_or("there is no such bar")?;
            handle.entry.set(&mut at, value.clamp(-handle.most, handle.most));
        }
        Some(Turn::Text(text)) => at.text = text,
        None => {}
    }
    let at = at.within_bounds();
    let picture = drawn(&at);
    let held = |handle: &explore::Handle| Held {
        name: handle.entry.name(),
        rect: handle.rect,
        value: handle.entry.of(&at),
        most: handle.most,
    };
    Ok(Shown {
        handles: picture.handles.iter().map(held).collect(),
        controls: explorer.controls.iter().map(|control| control.at(&at)).collect(),
        controls_first: explorer.controls_first,
        svg: svg::adaptive(&picture.frame),
        size: [picture.frame.width, picture.frame.height],
        cells: picture.cells,
        at,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::explore::EXPLORERS;
    use crate::figures::explore::control::Part;

    #[test]
    fn every_explorer_is_shown_and_comes_back_in_json() {
        for explorer in EXPLORERS {
            let shown = shown(explorer.name, &Explored::default(), None, (9, 9), f32::NAN).expect(explorer.name);
            let json = serde_json::to_string(&shown).expect(explorer.name);
            assert_eq!(serde_json::from_str::<Shown>(&json).expect(explorer.name), shown);
            assert_eq!(shown.controls.len(), explorer.controls.len());
        }
        assert!(shown("none", &Explored::default(), None, (0, 0), 400.0).is_err());
    }

    #[test]
    fn what_is_turned_changes() {
        let turned = |name: &str, turn: Turn| shown(name, &Explored::default(), Some(turn), (0, 0), 400.0);
        let warm = turned("jacobian", Turn::Control(0, 2.0)).expect("a temperature");
        let Some(Part::Slider(slider)) = warm.controls[0].parts.first() else { panic!("{:?}", warm.controls) };
        assert_eq!((warm.at.temperature, slider.shown.as_str()), (2.0, "2.00"));
        let dragged = turned("jacobian", Turn::Handle(1, 99.0)).expect("a bar");
        assert_eq!((dragged.at.logits[1], dragged.handles[1].value), (Explored::LOGIT, Explored::LOGIT));
        let typed = turned("bytes", Turn::Text("é".to_owned())).expect("a text");
        assert_eq!(typed.at.text, "é");
        for none in [Turn::Control(9, 1.0), Turn::Handle(99, 1.0)] {
            assert!(turned("jacobian", none).is_err());
        }
    }
}
