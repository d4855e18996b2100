//! Expressions: each becomes a register a component, or a pointer.

use naga::ir::{BinaryOperator as Op, Expression, Literal, RelationalFunction, ScalarKind, TypeInner, UnaryOperator};
use naga::{Handle, Span, ir};

use super::super::ir::{Inst, Mem, Reg};
use super::super::ops::{Binary, Ternary, Unary};
use super::pointer::{Index, Pointer, Root, indexed_roots};
use super::types::{self, Kind};
use super::{Frame, Lower, MAX_LOCAL_WORDS, Value};
use warpbook_base::diag::Diagnostic;

type Id = Handle<Expression>;

impl<'a> Lower<'a> {
    /// The value of an expression, computed now unless it was before.
    pub(super) fn value(&mut self, frame: &mut Frame<'a>, id: Id) -> Result<Value, Diagnostic> {
        if let Some(value) = &frame.values[id.index()] {
            return Ok(value.clone());
        }
        self.room(types::components(self.module, self.ty(frame, id)), frame.fun.expressions.get_span(id))?;
        let value = self.eval(frame, id)?;
        frame.values[id.index()] = Some(value.clone());
        Ok(value)
    }

    /// The components of an expression that is no pointer.
    pub(super) fn regs(&mut self, frame: &mut Frame<'a>, id: Id) -> Result<Vec<Reg>, Diagnostic> {
        match self.value(frame, id)? {
            Value::Regs(regs) => Ok(regs),
            Value::Pointer(_) => {
                Err(self.error("this is used as a value but is a pointer", frame.fun.expressions.get_span(id)))
            }
        }
    }

    /// The only component of a scalar.
    pub(super) fn reg(&mut self, frame: &mut Frame<'a>, id: Id) -> Result<Reg, Diagnostic> {
        Ok(self.regs(frame, id)?[0])
    }

    pub(super) fn ty(&self, frame: &Frame<'a>, id: Id) -> &'a TypeInner {
        frame.info[id].ty.inner_with(&self.module.types)
    }

    /// How an expression's components are computed with.
    pub(super) fn kind(&self, frame: &Frame<'a>, id: Id) -> Result<Kind, Diagnostic> {
        let span = frame.fun.expressions.get_span(id);
        let scalar = types::first_scalar(self.module, self.ty(frame, id))
            .ok_or_else(|| self.unsupported("operations on this type", span))?;
        types::kind_of(scalar).map_err(|what| self.unsupported(&what, span))
    }

    fn eval(&mut self, frame: &mut Frame<'a>, id: Id) -> Result<Value, Diagnostic> {
        let fun = frame.fun;
        let span = fun.expressions.get_span(id);
        self.b.at(span);
        let regs = match fun.expressions[id] {
            Expression::Literal(literal) => vec![self.literal(literal, span)?],
            Expression::Constant(handle) => self.global_constant(self.module.constants[handle].init)?,
            Expression::ZeroValue(ty) => self.zero(ty),
            Expression::Compose { ref components, .. } => {
                let mut regs = Vec::new();
                for component in components {
                    regs.extend(self.regs(frame, *component)?);
                }
                regs
            }
            Expression::Splat { size, value } => vec![self.reg(frame, value)?; size as usize],
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.regs(frame, vector)?;
                pattern[..size as usize].iter().map(|c| vector[*c as usize]).collect()
            }
            Expression::Access { base, index } => {
                let index = Index::Register(self.reg(frame, index)?);
                return self.access(frame, base, index, span);
            }
            Expression::AccessIndex { base, index } => return self.access(frame, base, Index::Constant(index), span),
            Expression::FunctionArgument(i) => return Ok(frame.args[i as usize].clone()),
            Expression::GlobalVariable(handle) => return Ok(Value::Pointer(self.global_pointer(handle, span)?)),
            Expression::LocalVariable(handle) => {
                let root =
                    frame.locals[handle.index()].ok_or_else(|| self.error("this variable was never declared", span))?;
                let ty = self.type_inner(fun.local_variables[handle].ty).clone();
                return Ok(Value::Pointer(Pointer { root, offset: 0, terms: Vec::new(), ty, vector: 0 }));
            }
            Expression::Load { pointer } => {
                let pointer = self.pointer(frame, pointer)?;
                self.b.at(span);
                self.load(&pointer)
            }
            Expression::Unary { op, expr } => {
                let kind = self.kind(frame, expr)?;
                let op = match (op, kind) {
                    (UnaryOperator::Negate, Kind::Float | Kind::Half) => Unary::FNeg,
                    (UnaryOperator::Negate, _) => Unary::INeg,
                    (UnaryOperator::LogicalNot, _) => Unary::Not,
                    (UnaryOperator::BitwiseNot, _) => Unary::BitNot,
                };
                let regs = self.regs(frame, expr)?;
                self.b.at(span);
                regs.into_iter().map(|a| self.b.un(op, a)).collect()
            }
            Expression::Binary { op, left, right } => self.binary(frame, op, left, right, span)?,
            Expression::Select { condition, accept, reject } => {
                let condition = self.regs(frame, condition)?;
                let (accept, reject) = (self.regs(frame, accept)?, self.regs(frame, reject)?);
                let select = |(i, (x, y))| {
                    let c = condition[if condition.len() == 1 { 0 } else { i }];
                    self.b.tri(Ternary::Select, c, x, y)
                };
                accept.into_iter().zip(reject).enumerate().map(select).collect()
            }
            Expression::Relational { fun, argument } => self.relational(frame, fun, argument)?,
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let mut args = vec![self.regs(frame, arg)?];
                for more in [arg1, arg2, arg3].into_iter().flatten() {
                    args.push(self.regs(frame, more)?);
                }
                let kind = self.kind(frame, arg)?;
                let ty = self.ty(frame, arg);
                self.b.at(span);
                self.rounding(kind, |lower, kind| lower.math(fun, kind, ty, &args, span))?
            }
            Expression::As { expr, kind, convert } => {
                let from = self.kind(frame, expr)?;
                let regs = self.regs(frame, expr)?;
                self.b.at(span);
                match convert {
                    None if from == Kind::Half => return Err(self.unsupported("a bitcast of `f16`", span)),
                    None => regs,
                    Some(width) => {
                        let to = types::kind_of(ir::Scalar { kind, width });
                        let to = to.map_err(|what| self.unsupported(&what, span))?;
                        regs.into_iter().map(|a| self.convert(a, from, to)).collect()
                    }
                }
            }
            Expression::ArrayLength(array) => {
                let pointer = self.pointer(frame, array)?;
                let length = self.array_length(&pointer);
                vec![length.ok_or_else(|| self.unsupported("the length of this array", span))?]
            }
            Expression::ImageSample { .. } | Expression::ImageLoad { .. } | Expression::ImageQuery { .. } => {
                return Err(self.unsupported("textures", span));
            }
            // Results are bound by their statements.
            Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::SubgroupBallotResult
            | Expression::SubgroupOperationResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. } => {
                return Err(self.error("this value is used before the statement that gives it", span));
            }
            Expression::CooperativeLoad { ref data, .. } => {
                let matrix = self.ty(frame, id);
                self.cooperative_load(frame, matrix, data, span)?
            }
            Expression::CooperativeMultiplyAdd { a, b, c } => self.multiply_add(frame, (a, b, c), span)?,
            ref other => {
                let name = format!("{other:?}");
                let name = name.split([' ', '(', '{']).next().unwrap_or_default();
                let what = if name.starts_with("Ray") { "ray queries" } else { &format!("`{name}` expressions") };
                return Err(self.unsupported(what, span));
            }
        };
        Ok(Value::Regs(regs))
    }

    fn literal(&mut self, literal: Literal, span: Span) -> Result<Reg, Diagnostic> {
        Ok(match literal {
            Literal::F32(x) => self.b.float(x),
            Literal::F16(x) => self.b.float(x.to_f32()),
            Literal::U32(x) => self.b.constant(x),
            Literal::I32(x) => self.b.constant(x.cast_unsigned()),
            Literal::Bool(x) => self.b.constant(u32::from(x)),
            other => {
                let what = types::kind_of(other.scalar()).err().unwrap_or_else(|| "this literal".to_owned());
                return Err(self.unsupported(&what, span));
            }
        })
    }

    fn zero(&mut self, ty: Handle<ir::Type>) -> Vec<Reg> {
        let zero = self.b.constant(0);
        vec![zero; types::components(self.module, self.type_inner(ty)) as usize]
    }

    /// The value of a module-scope expression: after overrides are resolved, all are literals and what is made of them.
    pub(super) fn global_constant(&mut self, id: Id) -> Result<Vec<Reg>, Diagnostic> {
        let span = self.module.global_expressions.get_span(id);
        let expression = &self.module.global_expressions[id];
        if let Expression::ZeroValue(ty) | Expression::Compose { ty, .. } = *expression {
            self.room(types::components(self.module, self.type_inner(ty)), span)?;
        }
        Ok(match *expression {
            Expression::Literal(literal) => vec![self.literal(literal, span)?],
            Expression::Constant(handle) => self.global_constant(self.module.constants[handle].init)?,
            Expression::ZeroValue(ty) => self.zero(ty),
            Expression::Compose { ref components, .. } => {
                let mut regs = Vec::new();
                for component in components {
                    regs.extend(self.global_constant(*component)?);
                }
                regs
            }
            Expression::Splat { size, value } => vec![self.global_constant(value)?[0]; size as usize],
            _ => return Err(self.unsupported("this constant expression", span)),
        })
    }

    fn access(&mut self, frame: &mut Frame<'a>, base: Id, index: Index, span: Span) -> Result<Value, Diagnostic> {
        let what = |lower: &Self| lower.unsupported("indexing this", span);
        match self.value(frame, base)? {
            Value::Pointer(pointer) => {
                let element = self.element_pointer(&pointer, index).ok_or_else(|| what(self))?;
                Ok(Value::Pointer(element))
            }
            Value::Regs(regs) => {
                let ty = self.ty(frame, base).clone();
                if let Index::Constant(i) = index {
                    let e = types::element(self.module, &ty, i).ok_or_else(|| what(self))?;
                    let count = types::components(self.module, &e.ty) as usize;
                    let first = e.component as usize;
                    let part = regs.get(first..first + count).ok_or_else(|| what(self))?;
                    return Ok(Value::Regs(part.to_vec()));
                }
                // A value in registers cannot be indexed at run time: it goes through a local array.
                let base = self.b.ir.local_words * 4;
                self.b.ir.local_words += u32::try_from(regs.len()).unwrap_or(u32::MAX);
                if self.b.ir.local_words > MAX_LOCAL_WORDS {
                    let error = self.error("the values that this program indexes are too large to trace", span);
                    return Err(error.hint("index a variable instead: `var` where there is `let` or `const`"));
                }
                let root = Root::Memory { mem: Mem::Local, variable: 0, base, packed: true };
                let whole = Pointer { root, offset: 0, terms: Vec::new(), ty, vector: 0 };
                self.store(&whole, &regs);
                let element = self.element_pointer(&whole, index).ok_or_else(|| what(self))?;
                Ok(Value::Regs(self.load(&element)))
            }
        }
    }

    fn binary(
        &mut self,
        frame: &mut Frame<'a>,
        op: Op,
        left: Id,
        right: Id,
        span: Span,
    ) -> Result<Vec<Reg>, Diagnostic> {
        let kind = self.kind(frame, left)?;
        let (x, y) = (self.regs(frame, left)?, self.regs(frame, right)?);
        let types = (self.ty(frame, left), self.ty(frame, right));
        self.b.at(span);
        self.rounding(kind, |lower, kind| Ok(lower.combine(op, kind, types, &x, &y)))
    }

    /// Rounds the floats that `work` computes to halves after each operation, if `kind` says so.
    fn rounding<T>(
        &mut self,
        kind: Kind,
        work: impl FnOnce(&mut Self, Kind) -> Result<T, Diagnostic>,
    ) -> Result<T, Diagnostic> {
        let half = kind == Kind::Half;
        self.b.half = half;
        let result = work(self, if half { Kind::Float } else { kind });
        self.b.half = false;
        result
    }

    fn combine(&mut self, op: Op, kind: Kind, types: (&TypeInner, &TypeInner), x: &[Reg], y: &[Reg]) -> Vec<Reg> {
        if op == Op::Multiply {
            match types {
                (&TypeInner::Matrix { rows, columns, .. }, TypeInner::Matrix { .. } | TypeInner::Vector { .. }) => {
                    return self.matrix_product(x, y, rows as usize, columns as usize);
                }
                (TypeInner::Vector { .. }, &TypeInner::Matrix { rows, .. }) => {
                    // A row vector times each column.
                    return y.chunks(rows as usize).map(|column| self.dot(Kind::Float, x, column)).collect();
                }
                _ => {}
            }
        }
        let count = x.len().max(y.len());
        let pick = |v: &[Reg], i: usize| v[if v.len() == 1 { 0 } else { i }];
        (0..count).map(|i| self.arithmetic(op, kind, pick(x, i), pick(y, i))).collect()
    }

    /// One component of a binary operation.
    fn arithmetic(&mut self, op: Op, kind: Kind, x: Reg, y: Reg) -> Reg {
        let by_kind = |float, int, uint| match kind {
            Kind::Float | Kind::Half => float,
            Kind::Int => int,
            Kind::Uint | Kind::Bool => uint,
        };
        let (op, swap) = match op {
            Op::Add => (by_kind(Binary::FAdd, Binary::IAdd, Binary::IAdd), false),
            Op::Subtract => (by_kind(Binary::FSub, Binary::ISub, Binary::ISub), false),
            Op::Multiply => (by_kind(Binary::FMul, Binary::IMul, Binary::IMul), false),
            Op::Divide => (by_kind(Binary::FDiv, Binary::IDiv, Binary::UDiv), false),
            Op::Modulo => (by_kind(Binary::FRem, Binary::IRem, Binary::URem), false),
            Op::Equal => (by_kind(Binary::FEq, Binary::IEq, Binary::IEq), false),
            Op::NotEqual => (by_kind(Binary::FNe, Binary::INe, Binary::INe), false),
            Op::Less => (by_kind(Binary::FLt, Binary::ILt, Binary::ULt), false),
            Op::LessEqual => (by_kind(Binary::FLe, Binary::ILe, Binary::ULe), false),
            Op::Greater => (by_kind(Binary::FLt, Binary::ILt, Binary::ULt), true),
            Op::GreaterEqual => (by_kind(Binary::FLe, Binary::ILe, Binary::ULe), true),
            Op::And | Op::LogicalAnd => (Binary::And, false),
            Op::InclusiveOr | Op::LogicalOr => (Binary::Or, false),
            Op::ExclusiveOr => (Binary::Xor, false),
            Op::ShiftLeft => (Binary::Shl, false),
            Op::ShiftRight => (by_kind(Binary::UShr, Binary::IShr, Binary::UShr), false),
        };
        if swap { self.b.bin(op, y, x) } else { self.b.bin(op, x, y) }
    }

    /// A matrix in column order times another, or times a column vector.
    fn matrix_product(&mut self, x: &[Reg], y: &[Reg], rows: usize, columns: usize) -> Vec<Reg> {
        let mut out = Vec::new();
        for column in y.chunks(columns) {
            for row in 0..rows {
                let across: Vec<Reg> = (0..columns).map(|k| x[k * rows + row]).collect();
                out.push(self.dot(Kind::Float, &across, column));
            }
        }
        out
    }

    /// The sum of products, from the first component on.
    pub(super) fn dot(&mut self, kind: Kind, x: &[Reg], y: &[Reg]) -> Reg {
        let (mul, add) = if kind == Kind::Float { (Binary::FMul, Binary::FAdd) } else { (Binary::IMul, Binary::IAdd) };
        let mut sum = self.b.bin(mul, x[0], y[0]);
        for (x, y) in x.iter().zip(y).skip(1) {
            let product = self.b.bin(mul, *x, *y);
            sum = self.b.bin(add, product, sum);
        }
        sum
    }

    fn relational(
        &mut self,
        frame: &mut Frame<'a>,
        fun: RelationalFunction,
        argument: Id,
    ) -> Result<Vec<Reg>, Diagnostic> {
        let regs = self.regs(frame, argument)?;
        let fold = |lower: &mut Self, op| {
            let rest = regs[1..].iter();
            vec![rest.fold(regs[0], |sum, r| lower.b.bin(op, sum, *r))]
        };
        Ok(match fun {
            RelationalFunction::All => fold(self, Binary::And),
            RelationalFunction::Any => fold(self, Binary::Or),
            RelationalFunction::IsNan => regs.iter().map(|r| self.b.un(Unary::IsNan, *r)).collect(),
            RelationalFunction::IsInf => regs.iter().map(|r| self.b.un(Unary::IsInf, *r)).collect(),
        })
    }

    /// A conversion by value; floats to integers saturate.
    fn convert(&mut self, a: Reg, from: Kind, to: Kind) -> Reg {
        use Kind::{Bool, Float, Half, Int, Uint};
        match (from, to) {
            (Half, Half) => a,
            (Half, to) => self.convert(a, Float, to),
            (from, Half) => {
                let float = self.convert(a, from, Float);
                self.b.un(Unary::RoundToHalf, float)
            }
            (Float, Int) => self.b.un(Unary::FToI, a),
            (Float, Uint) => self.b.un(Unary::FToU, a),
            (Float, Bool) => self.b.un(Unary::FToB, a),
            (Int, Float) => self.b.un(Unary::IToF, a),
            (Uint | Bool, Float) => self.b.un(Unary::UToF, a),
            (Int | Uint, Bool) => self.b.un(Unary::IToB, a),
            (Float, Float) | (Int | Uint | Bool, Int | Uint) | (Bool, Bool) => a,
        }
    }

    /// Which local variables are kept as arrays: those with an index that is known only at run time, or whose address goes to a
    /// function that may index them so.
    pub(super) fn indexed_variables(&self, frame: &Frame<'a>) -> Vec<bool> {
        let mut indexed = vec![false; frame.fun.local_variables.len()];
        let composite = |id: Id| match *self.ty(frame, id) {
            TypeInner::Pointer { base, .. } => !matches!(self.type_inner(base), TypeInner::Scalar(_)),
            TypeInner::ValuePointer { size, .. } => size.is_some(),
            _ => false,
        };
        indexed_roots(frame.fun, composite, |root| {
            if let Expression::LocalVariable(variable) = *root {
                indexed[variable.index()] = true;
            }
        });
        indexed
    }

    /// Whether a scalar kind is one that the tracer computes with; for atomics.
    pub(super) fn atomic_kind(&self, pointer: &Pointer, span: Span) -> Result<Kind, Diagnostic> {
        match pointer.ty {
            TypeInner::Atomic(scalar) if scalar.kind != ScalarKind::Float || scalar.width == 4 => {
                types::kind_of(scalar).map_err(|what| self.unsupported(&what, span))
            }
            _ => Err(self.unsupported("atomics of this type", span)),
        }
    }

    /// An instruction at `span`.
    pub(super) fn push_at(&mut self, span: Span, inst: Inst) -> u32 {
        self.b.at(span);
        self.b.push(inst)
    }
}
