//! Tables: columns as wide as they need to be, rows that are whole, and the header again on each page.

use roxmltree::Node;

use super::blocks::{Column, SMALL, Setter};
use super::lines::{Line, Style, Words};
use super::page::{Drawn, Ink, MARGIN, PAGE};

/// The share of a page that a header takes at most, and the bytes of its text, to stand on each page of its table.
const HEADER: f32 = 0.3;
const HEADER_BYTES: usize = 4096;

/// Left and right of a cell's text, and above and below.
const SPACE: [f32; 2] = [4.0, 2.5];

const CELL: Style = Style { ink: Ink::Text, ..SMALL };

struct Cell {
    lines: Vec<Line>,
    is_figure: bool,
}

pub(super) fn set(setter: &mut Setter<'_, '_>, node: Node<'_, '_>, column: Column) {
    if let Some(caption) = node.children().find(|child| child.has_tag_name("caption")) {
        setter.pages.room(6.0 * SMALL.leading());
        let words = Words::of(caption.children(), SMALL, setter.fonts, setter.pictures);
        for line in words.lines(column.width, setter.fonts) {
            line.draw(setter.pages, column.left, SMALL);
        }
        setter.pages.gap(3.0);
    }
    // A header of a Markdown table may lack the row that HTML wants around its cells.
    let is_row = |n: &Node<'_, '_>| n.children().any(|cell| cell.has_tag_name("th") || cell.has_tag_name("td"));
    let rows: Vec<Node<'_, '_>> = node.descendants().filter(is_row).collect();
    let widths = widths(setter, &rows, column.width);
    let header = rows.first().filter(|row| row.children().any(|cell| cell.has_tag_name("th"))).copied();
    let header = header.filter(|header| is_short(setter, *header, &widths));
    let mut page = setter.pages.here().0;
    for row in rows {
        let cells = cells(setter, row, &widths);
        let high = height(&cells);
        setter.pages.room(high);
        if setter.pages.here().0 != page {
            page = setter.pages.here().0;
            if let Some(header) = header.filter(|header| *header != row) {
                let cells = self::cells(setter, header, &widths);
                draw(setter, cells, &widths, column);
            }
        }
        draw(setter, cells, &widths, column);
    }
    setter.pages.gap(10.0);
}

/// Whether a header leaves room for rows below it.
fn is_short(setter: &Setter<'_, '_>, header: Node<'_, '_>, widths: &[f32]) -> bool {
    let bytes = header.descendants().filter_map(|node| node.text().filter(|_| node.is_text())).map(str::len);
    let room = (PAGE[1] - 2.0 * MARGIN[1]) * HEADER;
    bytes.sum::<usize>() <= HEADER_BYTES && height(&cells(setter, header, widths)) <= room
}

fn words(setter: &Setter<'_, '_>, cell: Node<'_, '_>) -> Words {
    Words::of(std::iter::once(cell), CELL, setter.fonts, setter.pictures)
}

/// The columns' widths: as their longest lines are, or less where that is more than there is.
fn widths(setter: &Setter<'_, '_>, rows: &[Node<'_, '_>], room: f32) -> Vec<f32> {
    let mut widths: Vec<[f32; 2]> = Vec::new();
    for row in rows {
        for (i, cell) in row.children().filter(Node::is_element).enumerate() {
            let wide = words(setter, cell).widths().map(|w| w + 2.0 * SPACE[0]);
            if widths.len() == i {
                widths.push([0.0; 2]);
            }
            widths[i] = [widths[i][0].max(wide[0]), widths[i][1].max(wide[1])];
        }
    }
    let [least, whole] = [0, 1].map(|which| widths.iter().map(|w| w[which]).sum::<f32>());
    if whole <= room {
        return widths.iter().map(|w| w[1]).collect();
    }
    if least >= room {
        return widths.iter().map(|w| w[0] * room / least).collect();
    }
    // All get the room of their longest word, and the rest in proportion to what they would like besides.
    let share = (room - least) / (whole - least);
    widths.iter().map(|[least, whole]| least + (whole - least) * share).collect()
}

fn cells(setter: &Setter<'_, '_>, row: Node<'_, '_>, widths: &[f32]) -> Vec<Cell> {
    let cells = row.children().filter(Node::is_element).zip(widths);
    let cell = |(cell, width): (Node<'_, '_>, &f32)| Cell {
        lines: words(setter, cell).lines(width - 2.0 * SPACE[0] + 0.5, setter.fonts),
        is_figure: cell.attribute("class") == Some("figure"),
    };
    cells.map(cell).collect()
}

fn height(cells: &[Cell]) -> f32 {
    let of = |cell: &Cell| cell.lines.iter().map(|line| line.height(CELL)).sum::<f32>();
    cells.iter().map(of).fold(CELL.leading(), f32::max) + 2.0 * SPACE[1]
}

fn draw(setter: &mut Setter<'_, '_>, cells: Vec<Cell>, widths: &[f32], column: Column) {
    let (top, high) = (setter.pages.y, height(&cells));
    let mut x = column.left;
    for (cell, width) in cells.into_iter().zip(widths) {
        let mut y = top + SPACE[1];
        for line in cell.lines {
            let tall = line.height(CELL);
            let left = if cell.is_figure { x + width - SPACE[0] - line.width } else { x + SPACE[0] };
            line.draw_at(setter.pages, [left, y + tall * 0.76]);
            y += tall;
        }
        x += width;
    }
    let rect = [column.left, top + high - 0.5, x - column.left, 0.5];
    setter.pages.draw(Drawn::Box { rect, ink: Ink::Line });
    setter.pages.y = top + high;
}
