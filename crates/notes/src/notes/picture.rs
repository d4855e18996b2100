//! Pictures as files that any program shows: PNG, still or moving, and the card that says whose picture it is.

use resvg::tiny_skia::{Pixmap, Transform};
use usvg::{Options, Tree};

use crate::base::xml::{escape, number};
use crate::fonts;

/// Pixels per point.
const SCALE: f32 = 2.0;

/// Hundredths of a second that a moment takes, and that the last one stays.
const MOMENT: [u16; 2] = [25, 200];

/// The height of a card's head and foot.
const CARD: [f32; 2] = [64.0, 36.0];

/// The settings that pictures are read with: the program's own fonts, and no file from elsewhere.
#[must_use]
pub fn options() -> Options<'static> {
    let mut options = Options { font_family: "Roboto".to_owned(), ..Options::default() };
    let database = options.fontdb_mut();
    for font in [fonts::SANS, fonts::SANS_MEDIUM, fonts::MONO, fonts::EAST_ASIA] {
        database.load_font_data(font.to_vec());
    }
    database.set_sans_serif_family("Roboto");
    database.set_monospace_family("JetBrains Mono");
    options
}

/// A picture (an SVG of this size, in points) on a card: whose it is above, and where it comes from below.
#[must_use]
pub fn card(svg: &str, [width, height]: [f32; 2], title: &str, of: &str, from: &str) -> String {
    let [head, foot] = CARD;
    let all = height + head + foot;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
         font-family=\"Roboto, sans-serif\">\n<rect width=\"{w}\" height=\"{h}\" fill=\"#ffffff\"/>\n\
         <text x=\"16\" y=\"26\" font-size=\"13\" fill=\"#5546cf\">{}</text>\n\
         <text x=\"16\" y=\"50\" font-size=\"20\" font-weight=\"500\" fill=\"#1b1f24\">{}</text>\n\
         <g transform=\"translate(0 {head})\">\n{svg}\n</g>\n\
         <text x=\"16\" y=\"{below}\" font-size=\"12\" fill=\"#59626f\">{}</text>\n</svg>",
        escape(of),
        escape(title),
        escape(from),
        w = number(width),
        h = number(all),
        head = number(head),
        below = number(all - 14.0),
    )
}

/// Pictures of one size (SVG) as a PNG; several follow each other, over and over.
///
/// # Errors
/// The message of the library that reads the SVG or writes the PNG.
pub fn png(pictures: &[String]) -> Result<Vec<u8>, String> {
    let options = options();
    let drawn: Vec<Pixmap> = pictures.iter().map(|svg| drawn(svg, &options)).collect::<Result<_, _>>()?;
    let first = drawn.first().ok_or("there is no picture")?;
    let said = |why: png::EncodingError| why.to_string();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, first.width(), first.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    if drawn.len() > 1 {
        encoder.set_animated(u32::try_from(drawn.len()).unwrap_or(u32::MAX), 0).map_err(said)?;
    }
    let mut writer = encoder.write_header().map_err(said)?;
    for (index, picture) in drawn.iter().enumerate() {
        if drawn.len() > 1 {
            let [moment, rest] = MOMENT;
            let delay = if index + 1 == drawn.len() { rest } else { moment };
            writer.set_frame_delay(delay, 100).map_err(said)?;
        }
        writer.write_image_data(picture.data()).map_err(said)?;
    }
    writer.finish().map_err(said)?;
    Ok(bytes)
}

/// The pixels of a picture. The ground of a picture is opaque, so that they are the same with and without their alpha.
fn drawn(svg: &str, options: &Options<'_>) -> Result<Pixmap, String> {
    let tree = Tree::from_str(svg, options).map_err(|why| why.to_string())?;
    let size = tree.size();
    let [w, h] = [size.width(), size.height()].map(|points| (points * SCALE).ceil().max(1.0));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a picture's size")]
    let mut pixels = Pixmap::new(w as u32, h as u32).ok_or("the picture is too large")?;
    pixels.fill(resvg::tiny_skia::Color::WHITE);
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    Ok(pixels)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    fn square(fill: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"20\"><rect width=\"40\" height=\"20\" \
             fill=\"{fill}\"/></svg>"
        )
    }

    #[test]
    fn moments_follow_each_other() {
        let bytes = png(&[square("#ff0000"), square("#0000ff")]).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        assert_eq!(reader.info().animation_control.unwrap().num_frames, 2);
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        for colour in [[255, 0, 0, 255], [0, 0, 255, 255]] {
            let info = reader.next_frame(&mut pixels).unwrap();
            assert_eq!((info.width, info.height, &pixels[..4]), (80, 40, &colour[..]));
        }
    }

    #[test]
    fn a_card_names_the_picture_and_its_lesson() {
        let card = card(&square("#00ff00"), [40.0, 20.0], "A <title>", "A lesson", "from a trace");
        let pixels = drawn(&card, &options()).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (80, 240));
        assert_eq!(pixels.pixel(20, 140).map(|p| [p.red(), p.green(), p.blue()]), Some([0, 255, 0]));
        assert!(card.contains("A &lt;title&gt;"));
    }

    #[test]
    fn what_is_no_picture_is_said() {
        assert!(png(&["<svg".to_owned()]).is_err() && png(&[]).is_err());
    }
}
