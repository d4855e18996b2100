//! Where the panes of the window are: beside one another where there is room, else one at a time.

use egui::{CursorIcon, Rect, Sense, Stroke, Ui, pos2, vec2};

use super::{predicted, theme};
use crate::figures::palette::Ink;
use crate::session::learn::saved::Dividers;

/// A window narrower than this, in points, shows one pane at a time.
const STACKED: f32 = 1150.0;

/// Heights of the parts above and below the panes.
const BAR: f32 = 48.0;
const TABS: f32 = 40.0;
const STATUS: f32 = 32.0;

/// In a window lower than this, in points, the row of the device's model waits to be asked for.
const LOW: f32 = 960.0;

/// The least that a divider leaves of a pane, and of the bench.
const LEAST: f32 = 240.0;
const BENCH: f32 = 560.0;

/// The width of 64 columns of code with their lines' numbers, the least width of a plot beside it, and the height of one that is folded.
const CODE: f32 = 556.0;
const PLOT: f32 = 280.0;
const FOLDED: f32 = 40.0;

/// A pane that can have all the room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pane {
    /// The step's prose.
    Page,
    /// The pictures.
    Stage,
    /// The source.
    Code,
    /// The plot, or an element's origin.
    Plot,
}

impl Pane {
    /// All, in reading order, each with its name and the key that makes it large.
    pub const ALL: [(Self, &'static str, egui::Key); 4] = [
        (Self::Page, "Page", egui::Key::Num1),
        (Self::Stage, "Stage", egui::Key::Num2),
        (Self::Code, "Code", egui::Key::Num3),
        (Self::Plot, "Plot", egui::Key::Num4),
    ];
}

/// The inputs of the panes' layout besides the window's size.
pub struct Wanted {
    /// Whether the stage has a picture; otherwise it is low, and what is below has its room.
    pub staged: bool,
    /// Whether its picture is one that wants to be high.
    pub high: bool,
    /// Whether the learner writes a kernel: the editor has most of the room.
    pub writes: bool,
    /// Height of the strip of passes above the stage's picture.
    pub strip: f32,
    /// Height of the row of controls.
    pub controls: f32,
    /// Whether there is something to plot; otherwise the source has its room.
    pub plotted: bool,
    /// Whether the plot folds to a line where the code would have less than 64 columns beside it.
    pub folds: bool,
    /// Whether the row of the device's model is shown.
    pub model: bool,
    pub large: Option<Pane>,
    /// Where the learner dragged the dividers.
    pub room: Dividers,
}

/// The panes of a window of some size. One that is not shown has no room.
pub struct Panes {
    pub bar: Rect,
    /// The tabs of a window that shows one pane at a time.
    pub tabs: Rect,
    pub contents: Rect,
    pub page: Rect,
    pub stage: Rect,
    pub controls: Rect,
    pub source: Rect,
    pub plot: Rect,
    /// Whether the plot is a line below the code.
    pub is_folded: bool,
    pub predicted: Rect,
    pub status: Rect,
    /// The panes that a divider separates.
    body: Rect,
}

impl Panes {
    /// Whether a window has room for the row of the device's model.
    pub fn has_room_for_model(window: Rect) -> bool {
        window.height() >= LOW
    }

    /// Whether a window of this width shows one pane at a time.
    pub fn is_stacked(window: Rect) -> bool {
        window.width() < STACKED
    }

    pub fn of(window: Rect, wanted: &Wanted) -> Self {
        let bar = Rect::from_min_size(window.min, vec2(window.width(), BAR));
        let status = Rect::from_min_max(pos2(window.min.x, window.max.y - STATUS), window.max);
        let body = Rect::from_min_max(bar.left_bottom(), status.right_top());
        let none = Rect::from_min_size(body.min, vec2(0.0, 0.0));
        let panes = Self {
            bar,
            tabs: none,
            contents: none,
            page: none,
            stage: none,
            controls: none,
            source: none,
            plot: none,
            is_folded: false,
            predicted: none,
            status,
            body,
        };
        if Self::is_stacked(window) { panes.stacked(wanted) } else { panes.beside(window, wanted) }
    }

    /// One pane, below its tabs.
    fn stacked(mut self, wanted: &Wanted) -> Self {
        self.tabs = Rect::from_min_size(self.body.min, vec2(self.body.width(), TABS));
        let room = Rect::from_min_max(self.tabs.left_bottom(), self.body.max);
        match wanted.large.unwrap_or(Pane::Page) {
            Pane::Page => self.page = room,
            pane => self.bench(room, Some(pane), wanted),
        }
        self
    }

    /// The contents, the page and the bench beside one another.
    fn beside(mut self, window: Rect, wanted: &Wanted) -> Self {
        let (width, height) = (window.width(), window.height());
        let body = self.body;
        self.contents = Rect::from_min_size(body.min, vec2((width * 0.14).clamp(168.0, 264.0).round(), body.height()));
        let rest = Rect::from_min_max(self.contents.right_top(), body.max);
        if wanted.large == Some(Pane::Page) {
            self.page = rest;
            return self;
        }
        // A state file may hold NaN.
        let finite = |share: Option<f32>| share.filter(|share| share.is_finite());
        let page = finite(wanted.room.page).map_or((width * 0.35).clamp(400.0, 720.0), |share| share * rest.width());
        let page = page.clamp(LEAST, rest.width() - BENCH).round();
        self.page = Rect::from_min_size(rest.min, vec2(page, body.height()));
        let bench = Rect::from_min_max(self.page.right_top(), body.max);
        if wanted.large.is_some() {
            self.bench(bench, wanted.large, wanted);
            return self;
        }
        let model = if wanted.model { predicted::HEIGHT } else { 0.0 };
        let most = body.height() - 244.0 - model;
        let staged = finite(wanted.room.stage).filter(|_| wanted.staged).map(|share| share * body.height());
        let usual = match (wanted.staged, wanted.writes, wanted.high) {
            (false, ..) => 144.0,
            (true, true, _) => (height * 0.36).clamp(240.0, 480.0).round(),
            (true, false, high) => (height * if high { 0.64 } else { 0.47 }).clamp(360.0, 960.0).round(),
        };
        let usual = wanted.strip + usual;
        let stage = staged.unwrap_or(usual).clamp(144.0_f32.min(most), most).round();
        self.stage = Rect::from_min_size(bench.min, vec2(bench.width(), stage));
        self.controls = Rect::from_min_size(self.stage.left_bottom(), vec2(bench.width(), wanted.controls));
        self.predicted = Rect::from_min_max(pos2(bench.min.x, body.max.y - model), body.max);
        let below = Rect::from_min_max(self.controls.left_bottom(), self.predicted.right_top());
        let dragged = finite(wanted.room.source).map(|share| share * bench.width());
        self.is_folded = wanted.plotted && wanted.folds && dragged.is_none() && bench.width() < CODE + PLOT;
        if self.is_folded {
            let top = below.max.y - FOLDED;
            self.source = Rect::from_min_max(below.min, pos2(below.max.x, top));
            self.plot = Rect::from_min_max(pos2(below.min.x, top), below.max);
            return self;
        }
        let source = dragged.unwrap_or_else(|| (0.57 * bench.width()).max(CODE.min(bench.width() - PLOT)));
        let source = source.clamp(LEAST, bench.width() - LEAST).round();
        let source = if wanted.plotted { source } else { bench.width() };
        self.source = Rect::from_min_max(below.min, pos2(bench.min.x + source, below.max.y));
        self.plot = if wanted.plotted { Rect::from_min_max(self.source.right_top(), below.max) } else { self.plot };
        self
    }

    /// A bench of one pane, with the controls below it, and what the model says where there is room for that.
    fn bench(&mut self, room: Rect, pane: Option<Pane>, wanted: &Wanted) {
        let mut room = room;
        if wanted.model && room.height() > 420.0 && room.width() > 560.0 {
            self.predicted = Rect::from_min_max(pos2(room.min.x, room.max.y - predicted::HEIGHT), room.max);
            room.max.y = self.predicted.min.y;
        }
        self.controls = Rect::from_min_max(pos2(room.min.x, room.max.y - wanted.controls), room.max);
        room.max.y = self.controls.min.y;
        match pane {
            Some(Pane::Stage) => self.stage = room,
            Some(Pane::Code) => self.source = room,
            Some(Pane::Plot) => self.plot = room,
            Some(Pane::Page) | None => {}
        }
    }

    /// Hairlines between the panes.
    pub fn rules(&self, ui: &Ui) {
        let stroke = Stroke::new(1.0, theme::color(theme::of(ui), Ink::Faint));
        let below = [self.bar, self.tabs, self.stage, self.controls].map(|r| (r, r.left_bottom(), r.right_bottom()));
        let above = [self.controls, self.predicted, self.status].map(|r| (r, r.left_top(), r.right_top()));
        let right = [self.contents, self.page, self.source].map(|r| (r, r.right_top(), r.right_bottom()));
        for (rect, from, to) in below.into_iter().chain(above).chain(right) {
            if rect.is_positive() {
                ui.painter().line_segment([from, to], stroke);
            }
        }
    }

    /// The dividers: `room` as the learner drags them, where one is dragged. A double click puts one back where it was
    /// at first.
    pub fn dividers(&self, ui: &mut Ui, room: Dividers) -> Option<Dividers> {
        let mut dragged = None;
        let rest = self.body.width() - self.contents.width();
        let bench = self.body.max.x - self.page.max.x;
        let mut divider =
            |name: &str, line: [egui::Pos2; 2], shown: bool, set: &dyn Fn(Option<egui::Pos2>) -> Dividers| {
                if !shown {
                    return;
                }
                let upright = line[0].x == line[1].x;
                let grip =
                    Rect::from_two_pos(line[0], line[1]).expand2(if upright { vec2(4.0, 0.0) } else { vec2(0.0, 4.0) });
                let response = ui.interact(grip, ui.scope_id().with(name), Sense::click_and_drag());
                response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Splitter, true, name));
                if response.hovered() || response.dragged() {
                    ui.ctx().set_cursor_icon(if upright {
                        CursorIcon::ResizeHorizontal
                    } else {
                        CursorIcon::ResizeVertical
                    });
                    ui.painter().line_segment(line, Stroke::new(2.0, theme::color(theme::of(ui), Ink::Accent)));
                }
                if response.double_clicked() {
                    dragged = Some(set(None));
                } else if let Some(at) = response.interact_pointer_pos().filter(|_| response.dragged()) {
                    dragged = Some(set(Some(at)));
                }
            };
        let page = |at: Option<egui::Pos2>| Dividers { page: at.map(|at| (at.x - self.contents.max.x) / rest), ..room };
        let beside = self.page.is_positive() && self.controls.is_positive() && self.contents.is_positive();
        divider("Divider beside the page", [self.page.right_top(), self.page.right_bottom()], beside, &page);
        let stage = |at: Option<egui::Pos2>| Dividers {
            stage: at.map(|at| (at.y - self.body.min.y) / self.body.height()),
            ..room
        };
        let both = self.stage.is_positive() && self.source.is_positive();
        divider("Divider below the stage", [self.stage.left_bottom(), self.stage.right_bottom()], both, &stage);
        let source =
            |at: Option<egui::Pos2>| Dividers { source: at.map(|at| (at.x - self.page.max.x) / bench), ..room };
        let both = self.source.is_positive() && self.plot.is_positive() && !self.is_folded;
        divider("Divider beside the code", [self.source.right_top(), self.source.right_bottom()], both, &source);
        dragged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panes(size: [f32; 2], large: Option<Pane>, room: Dividers) -> Panes {
        let window = Rect::from_min_size(pos2(0.0, 0.0), vec2(size[0], size[1]));
        Panes::of(
            window,
            &Wanted {
                staged: true,
                high: false,
                writes: false,
                strip: 0.0,
                controls: 74.0,
                plotted: true,
                folds: true,
                model: true,
                large,
                room,
            },
        )
    }

    #[test]
    fn no_two_panes_overlap_at_any_size() {
        let rooms = [
            Dividers::default(),
            Dividers { page: Some(0.0), stage: Some(0.0), source: Some(0.0), model: None },
            Dividers { page: Some(9.0), stage: Some(9.0), source: Some(9.0), model: None },
            Dividers { page: Some(f32::NAN), stage: Some(f32::NAN), source: Some(f32::NAN), model: None },
        ];
        for size in [[533.0, 400.0], [800.0, 600.0], [853.0, 533.0], [1150.0, 720.0], [1280.0, 800.0], [2560.0, 1440.0]]
        {
            for large in [None, Some(Pane::Page), Some(Pane::Stage), Some(Pane::Code), Some(Pane::Plot)] {
                for room in rooms {
                    let p = panes(size, large, room);
                    let all = [
                        p.bar,
                        p.tabs,
                        p.contents,
                        p.page,
                        p.stage,
                        p.controls,
                        p.source,
                        p.plot,
                        p.predicted,
                        p.status,
                    ];
                    let shown: Vec<Rect> = all.into_iter().filter(|rect| rect.is_positive()).collect();
                    for (i, a) in shown.iter().enumerate() {
                        assert!(
                            a.min.x >= 0.0 && a.max.x <= size[0] && a.max.y <= size[1],
                            "{size:?} {large:?}: {a:?}"
                        );
                        for b in &shown[..i] {
                            let both = a.intersect(*b);
                            assert!(both.width() <= 0.0 || both.height() <= 0.0, "{size:?} {large:?}: {a:?} {b:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn code_beside_a_plot_has_64_columns() {
        for width in [1150.0, 1280.0, 1440.0, 1680.0, 1920.0, 2560.0] {
            let panes = panes([width, 900.0], None, Dividers::default());
            assert!(panes.source.width() >= CODE, "{width}");
            assert!(panes.is_folded || panes.plot.width() >= PLOT - 1.0, "{width}");
        }
        let dragged = Dividers { source: Some(0.5), ..Dividers::default() };
        assert!(!panes([1440.0, 900.0], None, dragged).is_folded);
    }

    #[test]
    fn a_large_pane_has_most_of_the_window() {
        let usual = panes([1280.0, 800.0], None, Dividers::default());
        let large = panes([1280.0, 800.0], Some(Pane::Code), Dividers::default());
        assert!(large.source.area() > 2.0 * usual.source.area());
        assert!(!large.stage.is_positive() && !large.plot.is_positive());
    }
}
