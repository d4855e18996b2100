//! A random kernel's variables, its functions, and where its invocations meet.

use std::rc::Rc;

use super::frame::Shape;
use super::types::{Scalar, Space, Ty};
use super::{Place, Writer};

/// Names that every function of a kernel sees.
struct Globals {
    /// Of the private variable `p`.
    private: Ty,
    /// Of the private variable `q`, which functions are given the address of.
    pointed: Ty,
    /// Of the constant `table`.
    table: Ty,
    /// Of the overrides `o0`, `o1`, ….
    overrides: Vec<Scalar>,
}

impl Writer<'_> {
    /// Writes the kernel. Gives its part of the storage buffer, and its overrides' values.
    pub(super) fn kernel(&mut self, shape: Shape, shares: bool) -> (String, Vec<(String, f64)>) {
        for n in 0..2 {
            // A structure may hold the one before it.
            let members: Vec<Ty> = (0..2 + self.draw(3)).map(|_| self.any(false)).collect();
            let list: Vec<String> = members.iter().enumerate().map(|(j, m)| format!("m{j}: {}", m.name())).collect();
            self.text += &format!("struct S{n} {{ {} }}\n", list.join(", "));
            self.structs.push(Ty::Struct(format!("S{n}").into(), members.into()));
        }
        let (globals, constants) = self.globals();
        let (shared, uniform, cell) = (self.any(true), self.any(true), self.structs[1].clone());
        if shares {
            self.text += &format!("var<workgroup> w: array<{}, SIZE>;\n", shared.name());
            self.text += &format!("var<workgroup> one: {};\n", uniform.name());
            self.text += "var<workgroup> c: array<atomic<u32>, 7>;\nvar<workgroup> d: array<atomic<i32>, 7>;\n";
            self.text += "var<workgroup> e: array<atomic<u32>, SIZE>;\n";
        }
        for n in 0..1 + self.draw(3) {
            self.visible(&globals);
            self.helper(format!("h{n}"), &globals.pointed);
        }
        let unsigned = Ty::scalar(Scalar::U32);
        for phase in 0..1 + u32::from(shares) {
            self.inside(&globals);
            self.place("store.s[i]", cell.clone(), true);
            if phase == 0 && shares {
                self.place("w[li]", shared.clone(), true);
            } else if shares {
                self.place("w[(li + 1u) % SIZE]", shared.clone(), false);
                self.place("w[(li * 7u + i) % SIZE]", shared.clone(), false);
                let n = self.draw(7);
                self.place(format!("atomicLoad(&c[{n}])"), unsigned.clone(), false);
                self.place(format!("atomicLoad(&d[{}])", 6 - n), Ty::scalar(Scalar::I32), false);
                self.place("atomicLoad(&e[(li + 5u) % SIZE])", unsigned.clone(), false);
            }
            self.atomics = phase == 0 && shares;
            self.result = unsigned.clone();
            self.text += &format!("fn f{phase}(i: u32, li: u32, wg: u32) -> u32 {{\n");
            let count = 1 + self.draw(3);
            self.body(count);
            self.text += "}\n";
        }
        self.atomics = false;
        self.inside(&globals);
        self.text += "fn run(i: u32, li: u32, wg: u32) -> u32 {\nvar h = f0(i, li, wg);\n";
        if shares {
            self.meetings(&uniform);
        }
        if self.features.subgroups {
            self.subgroups_meet(shape);
        }
        self.digest("p", &globals.private);
        self.digest("q", &globals.pointed);
        self.text += "  return h;\n}\n";
        let stored = "s: array<S1, ALL>, x: array<u32, ALL>, a: array<atomic<i32>, 7>, b: array<atomic<u32>, 7>, g: array<atomic<u32>, ALL>";
        (stored.to_owned(), constants)
    }

    fn globals(&mut self) -> (Globals, Vec<(String, f64)>) {
        let (private, pointed) = (self.any(true), self.any(true));
        self.text += &format!("var<private> p: {};\nvar<private> q: {};\n", private.name(), pointed.name());
        let element = Ty::Vec(1 + self.draw(4), self.numeric());
        let table = Ty::Array(Rc::new(element), 3 + self.draw(4));
        self.places.clear();
        let entries = self.compose(&table, 0).text;
        self.text += &format!("const table = {entries};\n");
        let overrides: Vec<Scalar> =
            (0..self.draw(3)).map(|_| self.pick(&[Scalar::U32, Scalar::I32, Scalar::F32, Scalar::Bool])).collect();
        let mut constants = Vec::new();
        for (n, scalar) in overrides.iter().enumerate() {
            let default = self.literal(*scalar).text;
            self.text += &format!("override o{n}: {} = {default};\n", scalar.name());
            // One keeps its default.
            if n > 0 || self.draw(2) == 0 {
                let value = f64::from(self.draw(200));
                let value = match scalar {
                    Scalar::Bool => value % 2.0,
                    Scalar::F32 => value / 8.0 - 9.0,
                    Scalar::I32 => value - 100.0,
                    _ => value,
                };
                constants.push((format!("o{n}"), value));
            }
        }
        (Globals { private, pointed, table, overrides }, constants)
    }

    /// Clears the places down to those that every function sees.
    fn visible(&mut self, globals: &Globals) {
        let unsigned = Ty::scalar(Scalar::U32);
        self.places.clear();
        self.place("p", globals.private.clone(), true);
        self.place("input.u", Ty::Array(Rc::new(unsigned.clone()), 64), false);
        self.place("input.i", Ty::Array(Rc::new(Ty::scalar(Scalar::I32)), 64), false);
        self.place("input.f", Ty::Array(Rc::new(Ty::Vec(4, Scalar::F32)), 32), false);
        self.place("input.m", Ty::Array(Rc::new(Ty::Mat(3, 3)), 4), false);
        self.place("input.v", Ty::Array(Rc::new(Ty::Vec(3, Scalar::U32)), 16), false);
        self.place("uni.f", Ty::Vec(3, Scalar::F32), false);
        self.place("uni.u", unsigned.clone(), false);
        self.place("uni.i", Ty::Vec(2, Scalar::I32), false);
        self.place("uni.m", Ty::Mat(2, 4), false);
        self.place("arrayLength(&out)", unsigned.clone(), false);
        for name in ["gid", "lid", "wid", "nwg"] {
            self.place(name, Ty::Vec(3, Scalar::U32), false);
        }
        if self.features.subgroups {
            for name in super::subgroup::NAMES {
                self.place(name, unsigned.clone(), false);
            }
        }
        let constant = |text: String, ty: Ty| Place { text, ty, writable: false, space: None, constant: true };
        self.places.push(constant("table".to_owned(), globals.table.clone()));
        for (n, scalar) in globals.overrides.iter().enumerate() {
            self.places.push(constant(format!("o{n}"), Ty::scalar(*scalar)));
        }
    }

    /// The same, and what only functions with the invocation's indices see.
    fn inside(&mut self, globals: &Globals) {
        self.visible(globals);
        self.variable_at("q", globals.pointed.clone(), Space::Private);
        for index in ["i", "li", "wg"] {
            self.place(index, Ty::scalar(Scalar::U32), false);
            // Said twice, so that lanes differ more often.
            self.place("i", Ty::scalar(Scalar::U32), false);
        }
    }

    /// Where the invocations of a workgroup wait for each other and look at what the others wrote.
    fn meetings(&mut self, uniform: &Ty) {
        let (value, who) = (self.expr(uniform, 2), self.draw(20));
        self.text += &format!(
            "  workgroupBarrier();
  if (li == {who}u) {{ one = {value}; }}
  let seen = workgroupUniformLoad(&one);
"
        );
        self.digest("seen", uniform);
        self.text += "  h = digest(h, f1(i, li, wg));
  workgroupBarrier();
  for (var t = 0u; t < uni.u % 3u + 1u; t++) {
    atomicStore(&e[li], h + t);
    workgroupBarrier();
    h = digest(h, atomicLoad(&e[(li + t * 37u + 11u) % SIZE]));
    workgroupBarrier();
  }
  if (uni.i.x % 2i == 0i) {
    store.x[i] = h;
    storageBarrier();
    h = digest(h, store.x[wg * SIZE + (li + 3u) % SIZE]);
  } else {
    storageBarrier();
  }
";
    }
}
