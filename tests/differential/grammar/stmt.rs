//! Random statements.

use super::types::{Scalar, Ty};
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
            if let Some(ty) = helper.pointee {
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
                for (steps, part) in local.ty.parts() {
                    self.digest_part(&local.text, &steps, &part);
                }
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
        let line = match self.draw(6) {
            0 => format!("var {name}: {};\n", ty.name()),
            _ => format!("var {name}: {} = {};\n", ty.name(), self.expr(&ty, 1)),
        };
        self.text += &line;
        self.places.push(Place { text: name, ty, writable: true, local: true });
    }

    fn block(&mut self, depth: u32) {
        let before = self.places.len();
        self.text += "{\n";
        for _ in 0..=self.draw(2) {
            self.statement(depth);
        }
        self.text += "}\n";
        self.places.truncate(before);
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
        let text = self.part(&ty, true).unwrap_or_default();
        (text, ty)
    }

    fn assign(&mut self) {
        let (target, ty) = self.target();
        let value = self.expr(&ty, 3);
        self.text += &format!("{target} = {value};\n");
    }

    fn declare(&mut self) {
        let ty = self.any(true);
        if self.draw(2) == 0 {
            return self.variable(ty);
        }
        let name = self.name("l");
        let value = self.live(&ty, 2);
        self.text += &format!("let {name} = {value};\n");
        self.places.push(Place { text: name, ty, writable: false, local: false });
    }

    fn compound(&mut self) {
        let (target, ty) = self.target();
        let Ty::Vec(n, s) = ty else { return self.assign() };
        match s {
            Scalar::Bool => {
                let value = self.expr(&ty, 1);
                self.text += &format!("{target} = {target} & {value};\n");
            }
            Scalar::F32 => {
                let (op, value) = (self.pick(&["+", "-", "*"]), self.expr(&ty, 2));
                self.text += &format!("{target} {op}= {value}; {target} = t{n}({target});\n");
            }
            _ if n == 1 && self.draw(3) == 0 => {
                let op = self.pick(&["++", "--"]);
                self.text += &format!("{target}{op};\n");
            }
            _ => {
                let (op, value) = (self.pick(&["+", "-", "*", "&", "|", "^"]), self.expr(&ty, 2));
                self.text += &format!("{target} {op}= {value};\n");
            }
        }
    }

    /// Atomics that commute, exchanges in a place of one's own, calls for their effect.
    fn special(&mut self) {
        let (id, index) = (self.seed, Ty::scalar(Scalar::U32));
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
        let line = match self.draw(9) {
            n @ 0..=4 => {
                let op = ["Add", "Max", "And", "Or", "Xor"][n as usize];
                format!("atomic{op}(&c{id}[{n}], {value});\n")
            }
            5 => format!("atomicMin(&d{id}, i32({value}));\n"),
            6 => {
                let n = self.draw(4);
                let op = ["Sub", "Max", "Min", "Xor"][n as usize];
                format!("atomic{op}(&store.a{id}[{n}], i32({value}));\n")
            }
            7 => {
                let old = self.part(&index, true).unwrap_or("_".to_owned());
                let op = self.pick(&["Exchange", "Add", "Sub", "Max", "Min", "And", "Or", "Xor"]);
                format!("{old} = atomic{op}(&e{id}[li], {value});\n")
            }
            _ => {
                let old = self.part(&index, true).unwrap_or("_".to_owned());
                let part = self.pick(&["old_value", "old_value + 1u"]);
                let compare = self.expr(&index, 0);
                format!("{old} = atomicCompareExchangeWeak(&e{id}[li], {compare}, {value}).{part};\n")
            }
        };
        self.text += &line;
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
        for (n, values) in ["0", "2, 3", "4"].iter().enumerate() {
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
