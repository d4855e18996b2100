//! Random statements.

use super::types::{Scalar, Space, Step, Ty};
use super::{Place, Writer};

impl Writer<'_> {
    /// A function's body: `count` statements, and a `return` of what they came to.
    pub(super) fn body(&mut self, count: u32) {
        let before = self.places.len();
        // Variables of every kind to begin with, so that there is something to compute with.
        for scalar in [Scalar::U32, Scalar::I32, Scalar::F32] {
            let ty = if self.draw(2) == 0 { Ty::scalar(scalar) } else { Ty::Vec(2 + self.draw(3), scalar) };
            self.variable(ty);
        }
        let ty = self.any(true);
        self.variable(ty);
        for helper in self.helpers.clone() {
            if let Some((Space::Function, ty)) = helper.pointee {
                self.variable(ty);
            }
        }
        let locals: Vec<Place> = self.places[before..].to_vec();
        for _ in 0..count {
            self.statement(3);
        }
        if self.result == Ty::scalar(Scalar::U32) {
            self.text += "var h = 1u;\n";
            for local in locals {
                self.digest(&local.text, &local.ty);
            }
            self.text += "return h;\n";
        } else {
            let result = self.result.clone();
            let value = self.expr(&result, 1);
            self.text += &format!("return {value};\n");
        }
        self.places.truncate(before);
    }

    fn variable(&mut self, ty: Ty) {
        let name = self.name("v");
        self.named(name, ty);
    }

    fn named(&mut self, name: String, ty: Ty) {
        let line = match self.draw(6) {
            0 => format!("var {name}: {};\n", ty.name()),
            _ => format!("var {name}: {} = {};\n", ty.name(), self.expr(&ty, 1)),
        };
        self.text += &line;
        self.variable_at(name, ty, Space::Function);
    }

    fn block(&mut self, depth: u32) {
        let before = self.places.clone();
        self.text += "{\n";
        if self.draw(8) == 0 {
            self.shadow();
        }
        for _ in 0..=self.draw(2) {
            self.statement(depth);
        }
        self.text += "}\n";
        self.places = before;
    }

    /// Declares a variable with the name of one outside, which is then out of sight.
    fn shadow(&mut self) {
        let outside: Vec<String> =
            self.places.iter().filter(|p| p.space == Some(Space::Function)).map(|p| p.text.clone()).collect();
        if outside.is_empty() {
            return;
        }
        let (name, ty) = (self.pick(&outside), self.any(true));
        // The initial value still sees the outer one.
        self.named(name.clone(), ty);
        let inner = self.places.pop();
        self.places.retain(|p| p.text != name);
        self.places.extend(inner);
    }

    fn condition(&mut self) -> String {
        self.expr(&Ty::scalar(Scalar::Bool), 2)
    }

    fn statement(&mut self, depth: u32) {
        let number = self.statements;
        self.statements += 1;
        let start = self.text.len();
        let kind = self.draw(if depth == 0 { 9 } else { 16 });
        let declares = match kind {
            0..=3 => {
                self.assign();
                false
            }
            4 => {
                self.declare();
                true
            }
            5 => {
                self.special();
                false
            }
            6 | 7 => {
                self.jump();
                false
            }
            8 => {
                self.compound();
                false
            }
            9..=11 => {
                self.conditional(depth - 1);
                false
            }
            12 => {
                self.switch(depth - 1);
                false
            }
            13 => {
                self.for_loop(depth - 1);
                false
            }
            14 => {
                self.other_loop(depth - 1);
                false
            }
            _ => {
                self.block(depth - 1);
                false
            }
        };
        if self.skip.contains(&number) && !declares {
            self.text.truncate(start);
        }
    }

    /// Some place's type that can be assigned.
    fn target(&mut self) -> (String, Ty) {
        let writable: Vec<Ty> = self.places.iter().filter(|p| p.writable).map(|p| p.ty.clone()).collect();
        let parts: Vec<Ty> = self.pick(&writable).parts().into_iter().map(|(_, part)| part).collect();
        let ty = self.pick(&parts);
        let text = self.part(&ty, true).map(|part| part.text).unwrap_or_default();
        (text, ty)
    }

    fn assign(&mut self) {
        let (target, ty) = self.target();
        let value = self.expr(&ty, 3);
        self.text += &format!("{target} = {value};\n");
    }

    fn declare(&mut self) {
        let (ty, kind) = (self.any(true), self.draw(6));
        if kind < 3 {
            return self.variable(ty);
        }
        let name = self.name("l");
        if kind == 3 {
            let found = self.address();
            if let Some((text, ty)) = found {
                self.text += &format!("let {name} = &{text};\n");
                return self.place(format!("(*{name})"), ty, true);
            }
        }
        let value = self.live(&ty, 2);
        self.text += &format!("let {name} = {value};\n");
        self.place(name, ty, false);
    }

    /// A writable part of some place that has an address, which a vector's component has not.
    fn address(&mut self) -> Option<(String, Ty)> {
        let mut all = Vec::new();
        for place in self.places.iter().filter(|p| p.writable) {
            for (steps, part) in place.ty.parts() {
                let mut whole = place.ty.clone();
                let is_component = steps.iter().any(|step| {
                    let inside = matches!(whole, Ty::Vec(..));
                    whole = whole.at(*step);
                    inside
                });
                if !is_component {
                    all.push((place.text.clone(), steps, part));
                }
            }
        }
        if all.is_empty() {
            return None;
        }
        let (mut text, steps, ty) = self.pick(&all);
        for step in steps {
            text += &match step {
                Step::Member(j) => format!(".m{j}"),
                Step::Index(n) => format!("[{} % {n}u]", self.expr(&Ty::scalar(Scalar::U32), 1)),
            };
        }
        Some((text, ty))
    }

    fn compound(&mut self) {
        let (target, ty) = self.target();
        let Ty::Vec(n, s) = ty else { return self.assign() };
        match s {
            Scalar::Bool => {
                let value = self.expr(&ty, 1);
                self.text += &format!("{target} = {target} & {value};\n");
            }
            Scalar::F32 | Scalar::F16 => {
                let (op, value) = (self.pick(&["+", "-", "*"]), self.expr(&ty, 2));
                let tame = if s == Scalar::F32 { "t" } else { "q" };
                self.text += &format!("{target} {op}= {value}; {target} = {tame}{n}({target});\n");
            }
            _ if n == 1 && self.draw(3) == 0 => {
                let op = self.pick(&["++", "--"]);
                self.text += &format!("{target}{op};\n");
            }
            _ if self.draw(4) == 0 => {
                let (op, value) = (self.pick(&["<<", ">>"]), self.live(&Ty::Vec(n, Scalar::U32), 1));
                let mask = if n == 1 { "31u".to_owned() } else { format!("vec{n}<u32>(31u)") };
                self.text += &format!("{target} {op}= {value} & {mask};\n");
            }
            _ => {
                let (op, value) = (self.pick(&["+", "-", "*", "&", "|", "^"]), self.expr(&ty, 2));
                self.text += &format!("{target} {op}= {value};\n");
            }
        }
    }

    /// Atomics that commute, exchanges in a place of one's own, calls for their effect.
    fn special(&mut self) {
        let index = Ty::scalar(Scalar::U32);
        if !self.atomics {
            let helpers = self.helpers.clone();
            if helpers.is_empty() {
                return self.assign();
            }
            let result = self.pick(&helpers).result;
            match self.call(&result, 2) {
                Some(call) => self.text += &format!("_ = {call};\n"),
                None => self.assign(),
            }
            return;
        }
        let value = self.expr(&index, 2);
        // Each operation that commutes with itself has a place of its own, in every space and of either sign.
        let n = self.draw(7);
        let op = ["Add", "Sub", "Max", "Min", "And", "Or", "Xor"][n as usize];
        let own = self.pick(&["e[li]", "store.g[i]"]);
        let line = match self.draw(9) {
            0 => format!("atomic{op}(&c[{n}], {value});\n"),
            1 => format!("atomic{op}(&d[{n}], i32({value}));\n"),
            2 => format!("atomic{op}(&store.a[{n}], i32({value}));\n"),
            3 => format!("atomic{op}(&store.b[{n}], {value});\n"),
            4 => {
                // An addition, made of exchanges that are tried until one succeeds.
                let (cell, x, was) = (self.pick(&["c[0]", "store.b[0]"]), self.name("x"), self.name("x"));
                format!(
                    "let {x} = {value};
loop {{ let {was} = atomicLoad(&{cell}); if (atomicCompareExchangeWeak(&{cell}, {was}, {was} + {x}).exchanged) {{ break; }} }}\n"
                )
            }
            5 => format!("atomicStore(&{own}, {value});\n"),
            6 => {
                let old = self.unsigned_target();
                let op = self.pick(&["Exchange", "Add", "Sub", "Max", "Min", "And", "Or", "Xor"]);
                format!("{old} = atomic{op}(&{own}, {value});\n")
            }
            7 => format!("{} = atomicLoad(&{own});\n", self.unsigned_target()),
            _ => {
                let old = self.unsigned_target();
                let part = self.pick(&["old_value", "old_value + 1u"]);
                let compare = self.expr(&index, 0);
                format!("{old} = atomicCompareExchangeWeak(&{own}, {compare}, {value}).{part};\n")
            }
        };
        self.text += &line;
    }

    fn unsigned_target(&mut self) -> String {
        self.part(&Ty::scalar(Scalar::U32), true).map_or("_".to_owned(), |part| part.text)
    }

    fn jump(&mut self) {
        let condition = self.condition();
        let way = match self.draw(5) {
            0 | 1 if self.breakable => "break".to_owned(),
            2 | 3 if self.loops > 0 => "continue".to_owned(),
            4 => {
                let result = self.result.clone();
                format!("return {}", self.expr(&result, 1))
            }
            _ => return self.assign(),
        };
        self.text += &format!("if ({condition}) {{ {way}; }}\n");
    }

    fn conditional(&mut self, depth: u32) {
        let condition = self.condition();
        self.text += &format!("if ({condition}) ");
        self.block(depth);
        if self.draw(4) == 0 {
            let condition = self.condition();
            self.text += &format!("else if ({condition}) ");
            self.block(depth);
        }
        if self.draw(2) == 0 {
            self.text += "else ";
            self.block(depth);
        }
    }

    fn switch(&mut self, depth: u32) {
        let scalar = self.pick(&[Scalar::U32, Scalar::I32]);
        let (selector, end) = (self.expr(&Ty::scalar(scalar), 2), if scalar == Scalar::U32 { "u" } else { "i" });
        self.text += &format!("switch ({selector} % 5{end}) {{\n");
        let outer = std::mem::replace(&mut self.breakable, true);
        let default = self.draw(3);
        let far = if scalar == Scalar::I32 { "-1, 4" } else { "4" };
        for (n, values) in ["0", "2, 3", far].iter().enumerate() {
            let values: Vec<String> = values.split(", ").map(|v| format!("{v}{end}")).collect();
            let own = if n as u32 == default && self.draw(2) == 0 { ", default" } else { "" };
            self.text += &format!("case {}{own}: ", values.join(", "));
            self.block(depth);
            if n as u32 == default && own.is_empty() {
                self.text += "default: ";
                self.block(depth);
            }
        }
        self.text += "}\n";
        self.breakable = outer;
    }

    /// Writes a loop's body, in which `counter` can be read.
    fn turns(&mut self, counter: &str, depth: u32, brackets: bool) {
        let outer = std::mem::replace(&mut self.breakable, true);
        self.loops += 1;
        self.place(counter, Ty::scalar(Scalar::U32), false);
        if brackets {
            self.block(depth);
        } else {
            self.statement(depth);
        }
        self.places.pop();
        self.loops -= 1;
        self.breakable = outer;
    }

    fn for_loop(&mut self, depth: u32) {
        let k = self.name("k");
        let most = self.expr(&Ty::scalar(Scalar::U32), 1);
        let bound = if self.draw(2) == 0 { "3u".to_owned() } else { format!("{most} % 4u") };
        self.text += &format!("for (var {k} = 0u; {k} < {bound}; {k}++) ");
        self.turns(&k, depth, true);
    }

    fn other_loop(&mut self, depth: u32) {
        let k = self.name("k");
        let condition = self.condition();
        self.text += &format!("var {k} = 0u;\n");
        if self.draw(2) == 0 {
            self.text += &format!("while ({k} < 3u && {condition}) {{ {k}++;\n");
            self.turns(&k, depth, true);
            self.text += "}\n";
        } else {
            self.text += "loop {\n";
            self.turns(&k, depth, true);
            self.text += &format!("continuing {{ {k}++; break if {k} > 2u || {condition}; }}\n}}\n");
        }
    }
}
