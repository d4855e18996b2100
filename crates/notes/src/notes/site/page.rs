//! The pages of a site as HTML.

use serde_json::json;

use super::super::html::{DOCTYPE, is_svg, note_block};
use super::super::report::{NoteBlock, slug};
use super::super::style::STYLE;
use super::{Chapter, LIVE, Page};
use crate::base::sanitize::harmless;
use crate::base::units::counted;
use crate::base::xml::escape;

/// The script of all pages.
pub(super) const SCRIPT: &str = include_str!("book.js");

/// No page runs scripts but those of the site, or fetches anything from elsewhere.
const POLICY: &str = "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self' 'wasm-unsafe-eval'; \
                      worker-src 'self' blob:; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

/// The style of all pages: that of notes, and what a site has besides.
pub(super) fn style() -> String {
    format!("{STYLE}{}", include_str!("book.css"))
}

/// A page's place in the site, for its head.
struct Head<'a> {
    title: &'a str,
    about: &'a str,
    /// The way from the page to the site's root: `../../`.
    root: &'a str,
    /// The page's path from the root.
    path: &'a str,
    /// The folder of the lesson whose cover is the picture of shared links; None if it has no cover.
    cover: Option<&'a str>,
}

fn whole(head: &Head<'_>, address: &str, bar: &str, body: &str) -> String {
    let Head { title, about, root, path, cover } = head;
    let (title, about) = (escape(title), escape(about));
    let shared = match address {
        "" => String::new(),
        _ => {
            let picture = cover.map_or_else(String::new, |folder| {
                format!("<meta property=\"og:image\" content=\"{}/{folder}/cover.png\"/>\n", escape(address))
            });
            let page = escape(&format!("{address}/{path}"));
            format!(
                "<link rel=\"canonical\" href=\"{page}\"/>\n<meta property=\"og:url\" content=\"{page}\"/>\n{picture}"
            )
        }
    };
    let body = live(&harmless(body));
    format!(
        "{DOCTYPE}<html lang=\"en\" data-root=\"{root}\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\"/>\n\
         <meta name=\"generator\" content=\"Warpbook\"/>\n<meta name=\"description\" content=\"{about}\"/>\n\
         <meta property=\"og:title\" content=\"{title}\"/>\n<meta property=\"og:description\" content=\"{about}\"/>\n\
         <meta property=\"og:type\" content=\"article\"/>\n{shared}<title>{title}</title>\n\
         <link rel=\"icon\" href=\"data:,\"/>\n<link rel=\"stylesheet\" href=\"{root}book.css\"/>\n<script src=\"{root}play.js\" defer=\"defer\"></script>\n\
         <script src=\"{root}book.js\" defer=\"defer\"></script>\n</head>\n<body class=\"book\">\n\
         <a class=\"skip\" href=\"#text\">Skip to the text</a><nav class=\"bar\" aria-label=\"Site\"><a href=\"{root}\">Warpbook</a>{bar}\
         <span class=\"tools\"></span></nav>\n{body}</body>\n</html>\n"
    )
}

/// Replaces marked texts by elements that the page's script keeps up to date.
fn live(text: &str) -> String {
    let [begin, middle, end] = LIVE;
    let mut parts = text.split(begin);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some((marked, rest)) = part.split_once(end).filter(|(marked, _)| !marked.contains('<')) else {
            out.push_str(part);
            continue;
        };
        match marked.split_once(middle) {
            Some((set, words)) if set.contains('=') => {
                out.push_str(&format!("<button type=\"button\" class=\"preset\" data-set=\"{set}\">{words}</button>"));
            }
            Some((param, text)) => out.push_str(&format!("<output data-param=\"{param}\">{text}</output>")),
            None => out.push_str(&format!("<output>{marked}</output>")),
        }
        out.push_str(rest);
    }
    out.replace(LIVE, "")
}

/// JSON for the page's script, which ends no element.
fn data(value: &serde_json::Value) -> String {
    format!("<script type=\"application/json\" id=\"page\">{}</script>\n", value.to_string().replace('<', "\\u003c"))
}

/// A step's page.
pub(super) fn of_step(chapter: &Chapter, place: usize, address: &str) -> String {
    let page = &chapter.pages[place];
    let (stages, rest): (Vec<&NoteBlock>, Vec<&NoteBlock>) =
        page.blocks.iter().partition(|block| matches!(block, NoteBlock::Figure { id, .. } if page.stages.contains(id)));
    let (numbers, rest): (Vec<&NoteBlock>, Vec<&NoteBlock>) =
        rest.into_iter().partition(|block| matches!(block, NoteBlock::Data { .. } | NoteBlock::Command(_)));
    let html = |blocks: &[&NoteBlock]| -> String {
        blocks.iter().map(|block| note_block(block, Some(&page.plays)).replace("class=\"wide", "class=\"")).collect()
    };
    let (stage, text, numbers) = (html(&stages), html(&rest), html(&numbers));
    let numbers = match numbers.as_str() {
        "" => numbers,
        _ => format!("<details><summary>Numbers of this page</summary>\n{numbers}</details>\n"),
    };
    let other = |at: Option<usize>, word: &str| {
        let found = at.and_then(|at| Some((at, chapter.pages.get(at)?)));
        found.map_or_else(String::new, |(at, to)| {
            let (folder, title) = (to.folder(at), escape(&to.title));
            format!("<a rel=\"{word}\" href=\"../{folder}/\">{} {title}</a>", if word == "prev" { "←" } else { "→" })
        })
    };
    let (before, after) = (other(place.checked_sub(1), "prev"), other(Some(place + 1), "next"));
    let asks = json!({
        "lesson": chapter.id, "step": page.id, "questions": page.questions, "exercises": page.exercises,
        "title": format!("{}: {}", chapter.title, page.title),
    });
    let bar = format!(
        "<a href=\"../\">{}</a><span class=\"place\">{} of {}</span>",
        escape(&chapter.title),
        place + 1,
        chapter.pages.len()
    );
    let opens = match chapter.built_in {
        true => format!(
            "<p class=\"where in-program\">In the program: <code>warpbook open {}/{}</code></p>\n",
            escape(&chapter.id),
            place + 1
        ),
        false => String::new(),
    };
    let body = format!(
        "<main class=\"page\">\n<header><h1>{}</h1></header>\n<aside class=\"stage-of-page\">\n{stage}</aside>\n\
         <article id=\"text\">\n{text}{numbers}<section class=\"words\"></section>\n{opens}<nav class=\"ways\" aria-label=\"Pages\">{before}{after}</nav>\n\
         </article>\n</main>\n{}",
        escape(&page.title),
        data(&asks),
    );
    let folder = slug(&chapter.id);
    let head = Head {
        title: &format!("{} · {}", page.title, chapter.title),
        about: &chapter.summary,
        root: "../../",
        path: &format!("{folder}/{}/", page.folder(place)),
        cover: chapter.cover.as_ref().map(|_| folder.as_str()),
    };
    whole(&head, address, &bar, &body)
}

/// A lesson's contents.
pub(super) fn of_lesson(chapter: &Chapter, address: &str) -> String {
    let entry = |(place, page): (usize, &Page)| {
        let questions: Vec<&str> = page.questions.iter().map(|question| question.id.as_str()).collect();
        let exercises: Vec<&str> = page.exercises.iter().map(|exercise| exercise.id.as_str()).collect();
        // The script marks those that are done by the names under which it keeps them.
        let tag = |(word, done, ids): (&str, &str, Vec<&str>)| {
            let of: Vec<String> = ids.iter().map(|id| format!("{}/{id}", chapter.id)).collect();
            let of = escape(&of.join(" "));
            format!(" <span class=\"tag\" data-done=\"{done}\" data-of=\"{of}\">{word}</span>")
        };
        let tags = [("question", "right", questions), ("exercise", "solved", exercises)];
        let tags: String = tags.into_iter().filter(|(.., ids)| !ids.is_empty()).map(tag).collect();
        let part = match page.part.as_str() {
            "" => String::new(),
            part => format!("</ol>\n<h2>{}</h2>\n<ol start=\"{}\">\n", escape(part), place + 1),
        };
        format!("{part}<li><a href=\"{}/\">{}</a>{tags}</li>\n", page.folder(place), escape(&page.title))
    };
    let pages: String = chapter.pages.iter().enumerate().map(entry).collect();
    // A part that begins with the first page leaves an empty list before it.
    let list = format!("<ol>\n{pages}</ol>").replace("<ol>\n</ol>\n", "");
    let body = format!(
        "<main class=\"contents\">\n<header><h1>{}</h1><p>{}</p>{}</header>\n{list}\n</main>\n",
        escape(&chapter.title),
        escape(&chapter.summary),
        before(chapter, "../"),
    );
    let folder = slug(&chapter.id);
    let head = Head {
        title: &chapter.title,
        about: &chapter.summary,
        root: "../",
        path: &format!("{folder}/"),
        cover: chapter.cover.as_ref().map(|_| folder.as_str()),
    };
    whole(&head, address, "", &body)
}

/// The lessons to know before, as links from a page whose way to the root is `root`.
fn before(chapter: &Chapter, root: &str) -> String {
    let link = |[id, title]: &[String; 2]| format!("<a href=\"{root}{}/\">{}</a>", slug(id), escape(title));
    let links: Vec<String> = chapter.before.iter().map(link).collect();
    if links.is_empty() { String::new() } else { format!("<p class=\"before\">After {}</p>", links.join(", ")) }
}

/// The start page.
pub(super) fn of_start(chapters: &[Chapter], address: &str) -> String {
    let card = |chapter: &Chapter| {
        let folder = slug(&chapter.id);
        let cover = chapter.cover.as_ref().filter(|(cover, _)| is_svg(cover)).map_or("", |(cover, _)| cover);
        format!(
            "<li class=\"lesson\"><a class=\"face\" href=\"{folder}/\">{cover}<h2>{}</h2></a><p>{}</p>{}\
             <p class=\"count\">{}</p></li>\n",
            escape(&chapter.title),
            escape(&chapter.summary),
            before(chapter, ""),
            counted(chapter.pages.len() as u64, "page")
        )
    };
    let cards: String = chapters.iter().map(card).collect();
    let about = "How machine-learning systems use a GPU: each page runs its kernel, here, on a tracer that counts what \
                 the hardware's counters count.";
    let body = format!(
        "<main class=\"start\">\n<header><h1>Warpbook</h1><p>{about}</p></header>\n<ul class=\"cards\">\n{cards}</ul>\n</main>\n"
    );
    whole(&Head { title: "Warpbook", about, root: "", path: "", cover: None }, address, "", &body)
}

/// The index of the search: each page's address, its lesson, its title and its words.
pub(super) fn index(chapters: &[Chapter]) -> String {
    let entries = chapters.iter().flat_map(|chapter| {
        chapter.pages.iter().enumerate().map(move |(place, page)| {
            let words = |block: &NoteBlock| match block {
                NoteBlock::Prose(_) => text(&note_block(block, None)),
                _ => String::new(),
            };
            let words: String = page.blocks.iter().map(words).collect();
            json!([format!("{}/{}/", slug(&chapter.id), page.folder(place)), chapter.title, page.title, words])
        })
    });
    serde_json::Value::from_iter(entries).to_string()
}

/// The words of HTML, once each, in lower case.
fn text(html: &str) -> String {
    let (mut words, mut depth) = (String::new(), 0_usize);
    for c in html.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 && c.is_alphanumeric() => words.extend(c.to_lowercase()),
            _ => words.push(' '),
        }
    }
    let mut once: Vec<&str> = words.split_whitespace().filter(|word| word.len() > 1).collect();
    once.sort_unstable();
    once.dedup();
    once.join(" ") + " "
}
