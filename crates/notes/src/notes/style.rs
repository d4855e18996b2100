//! The style sheet of an HTML note: a column to read in, figures wider than it, in light, dark and on paper.

/// The style sheet. It names no font that has to be fetched.
pub(super) const STYLE: &str = r#"
:root{color-scheme:light dark;--ground:#fff;--card:#f4f6f8;--line:#d9dee4;--text:#1b1f24;--muted:#59626f;--accent:#5546cf;--more:#116b3a;--less:#a3232f;
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
--serif:Charter,"Bitstream Charter","Iowan Old Style","Source Serif 4",Cambria,Georgia,serif;
--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
@media screen and (prefers-color-scheme:dark){:root{--ground:#14171c;--card:#1c2129;--line:#343b46;--text:#e8eaed;--muted:#a3abb8;--accent:#a99bff;--more:#7fd6a2;--less:#ff9aa2}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--text);font:17px/1.6 var(--serif);font-variant-numeric:lining-nums}
main{display:grid;grid-template-columns:minmax(16px,1fr) minmax(0,68ch) minmax(16px,1fr);padding:64px 0 96px}
main>*{grid-column:2;margin:0 0 16px;min-width:0}
main>.wide{grid-column:1/-1;justify-self:center;width:min(100% - 32px,880px);margin:16px 0 32px}
main>.scroll.wide{width:auto;max-width:min(100% - 32px,960px)}
h1,h2,h3,h4,h5,h6,.kicker,.date,figcaption,caption,table,dl,summary,.question{font-family:var(--sans)}
header{margin-bottom:32px}
h1{font-size:36px;line-height:1.15;letter-spacing:-.015em;margin:8px 0;font-weight:700;text-wrap:balance}
main>h2{font-size:24px;line-height:1.3;margin:48px 0 16px;letter-spacing:-.01em}
main>h3,.own h3{font-size:18px;line-height:1.4;margin:32px 0 8px}
h4,h5,h6{font-size:16px;line-height:1.5;margin:24px 0 8px}
.kicker{color:var(--accent);font-size:14px;font-weight:600;margin:0}
.date{color:var(--muted);font-size:14px;margin:0}
p{margin:0 0 16px}ul,ol{padding-left:28px}li{margin:4px 0}li>p{margin:0 0 8px}
a{color:var(--accent);text-underline-offset:2px}
code{font:.86em/1.5 var(--mono);background:var(--card);border-radius:4px;padding:1px 4px;overflow-wrap:anywhere}
code.unset{border:1px dashed var(--muted)}
pre{background:var(--card);border-radius:8px;padding:16px;overflow-x:auto;font-size:14px;line-height:1.55;tab-size:4}
pre code{background:none;padding:0;font-size:14px;overflow-wrap:normal}
pre.command{border-left:4px solid var(--accent)}
pre.command{white-space:pre-wrap}
pre.command code::before{content:"$ ";color:var(--muted);user-select:none}
blockquote{border-left:4px solid var(--line);padding:0 0 0 20px;color:var(--muted)}
blockquote>:last-child,.own>:last-child,.card>:last-child{margin-bottom:0}
figure{overflow-x:auto}
figure svg{min-width:560px;display:block;width:100%;height:auto;border:1px solid var(--line);border-radius:8px}
figcaption{color:var(--muted);font-size:14px;line-height:1.5;margin-top:8px;text-align:center}
.begin,.controls button,.controls select{font:14px/1.4 var(--sans);color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:6px;padding:5px 12px;cursor:pointer}
.begin{display:block;margin:8px auto 0}
.controls{display:flex;flex-wrap:wrap;gap:8px;align-items:center;margin:8px 0;font:14px/1.4 var(--sans)}
.controls[hidden]{display:none}
.controls input{flex:1;min-width:120px;accent-color:var(--accent)}
fieldset.controls{border:0;padding:0;min-width:0}
fieldset.controls:disabled{opacity:.6}
figure:has(.explorer){border:1px solid var(--line);border-radius:8px;padding:12px}
.explorer{position:relative}.explorer svg{border:0}.tip:empty{display:none}
.bar-handle{position:absolute;cursor:ew-resize;touch-action:none;border-radius:4px}
.slides{display:flex;flex:1;gap:8px;align-items:center}.slides output{min-width:5ch;text-align:right}
.controls>span:first-child:not(:empty){min-width:16ch}.controls textarea{flex:1 1 100%;min-height:4em}
figure.playing{overflow:visible}
figure.playing svg{min-width:0}
.code{position:relative;margin-top:8px;font:14px/1.5 var(--mono);background:var(--card);border:1px solid var(--line);border-radius:8px;overflow:hidden}
.code pre{position:absolute;inset:0 auto 0 0;width:6ch;font:inherit;color:var(--muted);background:none;border-radius:0;border-right:1px solid var(--line);margin:0;padding:12px 8px;text-align:right;overflow:hidden;user-select:none}
.code mark{background:var(--less);color:var(--ground)}
.where,.tip{color:var(--muted);font:14px/1.4 var(--sans);font-variant-numeric:tabular-nums}
.where{min-width:9ch;text-align:right}.tip{margin:0;min-height:2.8em;white-space:pre-line}
.code textarea{display:block;width:calc(100% - 6ch);margin-left:6ch;font:inherit;color:var(--text);background:none;border:0;padding:12px;tab-size:4;resize:vertical}
figure table{margin-top:12px;min-width:0}figure td+td,figure th+th{text-align:right}
.problem{color:var(--less)}figure .said p{font:14px/1.4 var(--sans);margin:4px 0}
@media screen and (max-width:600px){figure:not(.playing) svg~figcaption::before{content:"Scroll the picture sideways. "}}
@media print{.begin,.controls,.tip,figure details{display:none}}
.scroll{overflow-x:auto;margin-bottom:24px}
table{border-collapse:collapse;font-size:14px;line-height:1.4;font-variant-numeric:tabular-nums lining-nums;min-width:50%}
caption{caption-side:top;text-align:left;color:var(--muted);padding:0 0 8px}
th,td{text-align:left;padding:6px 16px 6px 0;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600}th.figure,td.figure{text-align:right}td.figure{white-space:nowrap}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 24px;font-size:14px;line-height:1.5;margin:0 0 16px}
dt{color:var(--muted)}dd{margin:0;white-space:pre-line;overflow-wrap:anywhere;font-variant-numeric:tabular-nums}
.card,.own{background:var(--card);border-radius:8px;padding:20px 24px;margin:24px 0}
.own{background:none;border:1px solid var(--line);border-left:4px solid var(--accent)}
.own table{margin-bottom:16px}.own h3{margin-top:0;color:var(--accent);font-size:14px}
.question{font-weight:600;font-size:16px;line-height:1.5}
details summary{color:var(--muted);font-size:14px;cursor:pointer}
details pre{margin:8px 0 0}
ins{text-decoration:none;color:var(--more)}del{text-decoration:none;color:var(--less)}
nav{font-family:var(--sans);font-size:14px;line-height:1.5;border-bottom:1px solid var(--line);padding-bottom:16px}
nav ol{margin:0;padding-left:24px}nav li{margin:2px 0}nav a{text-decoration:none}
.unfold{border-left:2px solid var(--line);padding:0 0 0 20px;margin:0 0 20px}
.unfold>summary{margin:0 0 8px -20px;padding-left:4px}
footer{border-top:1px solid var(--line);padding-top:24px;margin-top:48px}
footer h2{font-size:14px;margin:0 0 8px;color:var(--muted)}
span.math{display:inline-block;line-height:0}
div.math{overflow-x:auto;text-align:center;margin:24px 0;line-height:0}
span.math svg,div.math svg{max-width:none}
.math{position:relative}.tex{position:absolute;left:0;top:0;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:pre;line-height:1}
@media print{
@page{margin:20mm}
body{font-size:11pt}main{display:block;padding:0}main>.wide{width:100%}
figure,table,.card,.own,pre,tr{break-inside:avoid}h1,h2,h3,h4{break-after:avoid}
pre,code{white-space:pre-wrap}a{color:inherit}nav{display:none}
}
"#;
