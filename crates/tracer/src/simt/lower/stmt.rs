//! Statements: control flow, stores, atomics, barriers, and calls, which are inlined.

use naga::ir::{AtomicFunction, Block, Expression, Statement, SwitchValue};
use naga::valid::FunctionInfo;
use naga::{Handle, Span, ir};

use super::super::ir::{Absent, AtomicOp, Inst, Orders};
use super::super::ops::{Binary, Ternary};
use super::types::Kind;
use super::{Frame, Lower, MAX_DEPTH, ReturnTo, Value};
use warpbook_base::diag::Diagnostic;

type Id = Handle<Expression>;

/// Calls `visit` with the arguments of every call in a block.
pub(super) fn each_call(block: &Block, visit: &mut impl FnMut(&[Id])) {
    each_statement(block, &mut |statement| {
        if let Statement::Call { arguments, .. } = statement {
            visit(arguments);
        }
    });
}

fn each_statement(block: &Block, visit: &mut impl FnMut(&Statement)) {
    for statement in block {
        visit(statement);
        match statement {
            Statement::Block(inner) => each_statement(inner, visit),
            Statement::If { accept, reject, .. } => [accept, reject].into_iter().for_each(|b| each_statement(b, visit)),
            Statement::Switch { cases, .. } => cases.iter().for_each(|c| each_statement(&c.body, visit)),
            Statement::Loop { body, continuing, .. } => {
                [body, continuing].into_iter().for_each(|b| each_statement(b, visit));
            }
            _ => {}
        }
    }
}

/// Whether a function returns only at its end.
fn returns_at_end(body: &Block) -> bool {
    let mut returns = 0;
    each_statement(body, &mut |s| returns += usize::from(matches!(s, Statement::Return { .. })));
    returns == 0 || returns == 1 && matches!(body.last(), Some(Statement::Return { .. }))
}

impl<'a> Lower<'a> {
    /// Lowers a function's body, whose opening instruction `home` was pushed, and gives the value it returns.
    pub(super) fn body(
        &mut self,
        fun: &'a ir::Function,
        info: &'a FunctionInfo,
        args: Vec<Value>,
        home: u32,
        result: ReturnTo,
    ) -> Result<ReturnTo, Diagnostic> {
        let mut frame = Frame {
            fun,
            info,
            args,
            values: vec![None; fun.expressions.len()],
            locals: vec![None; fun.local_variables.len()],
            home,
            result,
        };
        let indexed = self.indexed_variables(&frame);
        for (handle, variable) in fun.local_variables.iter() {
            let init = variable.init.map(|init| self.regs(&mut frame, init)).transpose()?;
            self.b.at(fun.local_variables.get_span(handle));
            let root = self.variable(variable.ty, Some(frame.home), init, indexed[handle.index()])?;
            frame.locals[handle.index()] = Some(root);
        }
        self.block(&mut frame, &fun.body)?;
        Ok(frame.result)
    }

    fn block(&mut self, frame: &mut Frame<'a>, block: &'a Block) -> Result<(), Diagnostic> {
        self.depth += 1;
        for (statement, span) in block.span_iter() {
            self.room(0, *span)?;
            if self.depth > MAX_DEPTH {
                let error = self.error("blocks and calls stand too deep in each other to be traced", *span);
                return Err(error.hint("use a loop or a `switch` instead of a long chain"));
            }
            self.statement(frame, statement, *span)?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn statement(&mut self, frame: &mut Frame<'a>, statement: &'a Statement, span: Span) -> Result<(), Diagnostic> {
        match *statement {
            Statement::Emit(ref range) => {
                for id in range.clone() {
                    self.value(frame, id)?;
                }
            }
            Statement::Block(ref inner) => {
                self.b.push(Inst::Open);
                self.block(frame, inner)?;
                self.b.push(Inst::Close);
            }
            Statement::If { condition, ref accept, ref reject } => {
                let cond = self.reg(frame, condition)?;
                let counted = !is_short_circuit(frame.fun, accept, reject);
                self.push_at(span, Inst::If { cond, counted });
                self.block(frame, accept)?;
                if !reject.is_empty() {
                    self.b.push(Inst::Else);
                    self.block(frame, reject)?;
                }
                self.b.push(Inst::EndIf);
            }
            Statement::Switch { selector, ref cases } => self.switch(frame, selector, cases, span)?,
            Statement::Loop { ref body, ref continuing, break_if } => {
                self.push_at(span, Inst::Loop);
                self.block(frame, body)?;
                self.b.push(Inst::Continuing);
                self.block(frame, continuing)?;
                if let Some(condition) = break_if {
                    let cond = self.reg(frame, condition)?;
                    self.b.at(frame.fun.expressions.get_span(condition));
                    self.b.push(Inst::BreakIf { cond });
                }
                self.push_at(span, Inst::EndLoop);
            }
            Statement::Break => {
                self.push_at(span, Inst::Break { inside: 0 });
            }
            Statement::Continue => {
                self.push_at(span, Inst::Continue { inside: 0 });
            }
            Statement::Return { value } => self.ret(frame, value, span)?,
            Statement::ControlBarrier(barrier) => {
                let orders = Orders {
                    shared: barrier.contains(ir::Barrier::WORK_GROUP),
                    storage: barrier.contains(ir::Barrier::STORAGE),
                    absent: Absent::Wrong,
                };
                // The lanes of a warp run in lockstep: a barrier for them alone has nothing to wait for.
                if orders.shared || orders.storage {
                    self.push_at(span, Inst::Barrier(orders));
                } else {
                    self.b.ir.subgroup_barrier = true;
                }
            }
            // Lanes run in lockstep and see each other's writes at once: nothing is left to order.
            Statement::MemoryBarrier(_) => {}
            Statement::Store { pointer, value } => {
                let value = self.regs(frame, value)?;
                let pointer = self.pointer(frame, pointer)?;
                self.b.at(span);
                self.store(&pointer, &value);
            }
            Statement::Atomic { pointer, ref fun, value, result } => {
                self.atomic(frame, pointer, fun, value, result, span)?;
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let pointer = self.pointer(frame, pointer)?;
                self.room(super::types::components(self.module, &pointer.ty), span)?;
                let barrier = Inst::Barrier(Orders { shared: true, storage: false, absent: Absent::Wrong });
                self.push_at(span, barrier);
                let value = self.load(&pointer);
                self.b.push(barrier);
                frame.values[result.index()] = Some(Value::Regs(value));
            }
            Statement::Call { function, ref arguments, result } => {
                self.call(frame, function, arguments, result, span)?;
            }
            Statement::ImageStore { .. } | Statement::ImageAtomic { .. } => {
                return Err(self.unsupported("textures", span));
            }
            Statement::SubgroupBallot { result, predicate } => self.ballot(frame, predicate, result, span)?,
            Statement::SubgroupGather { mode, argument, result } => self.gather(frame, mode, argument, result, span)?,
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result } => {
                self.collective(frame, (op, collective_op), argument, result, span)?;
            }
            Statement::Kill => return Err(self.unsupported("`discard`", span)),
            Statement::RayQuery { .. } | Statement::RayPipelineFunction(_) => {
                return Err(self.unsupported("ray queries", span));
            }
            Statement::CooperativeStore { target, ref data } => self.cooperative_store(frame, target, data, span)?,
        }
        Ok(())
    }

    fn ret(&mut self, frame: &mut Frame<'a>, value: Option<Id>, span: Span) -> Result<(), Diagnostic> {
        let value = value.map(|value| self.regs(frame, value)).transpose()?;
        self.b.at(span);
        match &mut frame.result {
            ReturnTo::Tail(slot) => *slot = value,
            ReturnTo::Variables(variables) => {
                let variables = variables.clone();
                for (var, src) in variables.into_iter().zip(value.unwrap_or_default()) {
                    self.b.write(var, src);
                }
                self.b.push(Inst::Return);
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        frame: &mut Frame<'a>,
        function: Handle<ir::Function>,
        arguments: &[Id],
        result: Option<Id>,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let fun = &self.module.functions[function];
        let mut args = Vec::new();
        for argument in arguments {
            args.push(self.value(frame, *argument)?);
        }
        self.b.at(span);
        let info = &self.info[function];
        let value = if returns_at_end(&fun.body) {
            let home = self.b.push(Inst::Open);
            let value = self.body(fun, info, args, home, ReturnTo::Tail(None))?;
            self.b.push(Inst::Close);
            match value {
                ReturnTo::Tail(value) => value.unwrap_or_default(),
                ReturnTo::Variables(_) => Vec::new(),
            }
        } else {
            let zero = self.b.constant(0);
            let count = fun.result.as_ref().map_or(0, |r| super::types::components(self.module, self.type_inner(r.ty)));
            self.room(count, span)?;
            let variables: Vec<_> = (0..count).map(|_| self.b.var(Some(frame.home), zero)).collect();
            // Their life starts here, not at the beginning of the caller.
            for var in &variables {
                self.b.write(*var, zero);
            }
            let home = self.b.push(Inst::Fn);
            self.body(fun, info, args, home, ReturnTo::Variables(variables.clone()))?;
            self.b.push(Inst::EndFn);
            variables.into_iter().map(|var| self.b.read(var)).collect()
        };
        if let Some(result) = result {
            frame.values[result.index()] = Some(Value::Regs(value));
        }
        self.b.at(span);
        Ok(())
    }

    /// A `switch`: the lanes find the number of their case, then each case is a conditional on it.
    fn switch(
        &mut self,
        frame: &mut Frame<'a>,
        selector: Id,
        cases: &'a [ir::SwitchCase],
        span: Span,
    ) -> Result<(), Diagnostic> {
        let selector = self.reg(frame, selector)?;
        self.b.at(span);
        // Selectors that share a body: all but the last of them fall through an empty one.
        let mut groups: Vec<(Vec<&SwitchValue>, &'a Block)> = Vec::new();
        let mut pending = Vec::new();
        for case in cases {
            pending.push(&case.value);
            if !case.fall_through {
                groups.push((std::mem::take(&mut pending), &case.body));
            } else if !case.body.is_empty() {
                return Err(self.unsupported("a `switch` case that falls through", span));
            }
        }
        let default = groups.iter().position(|(values, _)| values.contains(&&SwitchValue::Default)).unwrap_or(0);
        let number = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        let mut chosen = self.b.constant(number(default));
        for (i, (values, _)) in groups.iter().enumerate().filter(|(i, _)| *i != default) {
            for value in values {
                let word = match **value {
                    SwitchValue::I32(x) => x.cast_unsigned(),
                    SwitchValue::U32(x) => x,
                    SwitchValue::Default => continue,
                };
                let (word, case) = (self.b.constant(word), self.b.constant(number(i)));
                let same = self.b.bin(Binary::IEq, selector, word);
                chosen = self.b.tri(Ternary::Select, same, case, chosen);
            }
        }
        self.b.push(Inst::Switch { case: chosen });
        self.b.push(Inst::Scope);
        for (i, (_, body)) in groups.iter().enumerate() {
            let case = self.b.constant(number(i));
            let cond = self.b.bin(Binary::IEq, chosen, case);
            self.b.push(Inst::If { cond, counted: false });
            self.block(frame, body)?;
            self.b.push(Inst::EndIf);
        }
        self.b.push(Inst::EndScope);
        Ok(())
    }

    fn atomic(
        &mut self,
        frame: &mut Frame<'a>,
        pointer: Id,
        fun: &AtomicFunction,
        value: Id,
        result: Option<Id>,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let value = self.reg(frame, value)?;
        let pointer = self.pointer(frame, pointer)?;
        let kind = self.atomic_kind(&pointer, span)?;
        let signed = kind == Kind::Int;
        let mut compare = value;
        let op = match *fun {
            AtomicFunction::Add if kind == Kind::Float => AtomicOp::FAdd,
            AtomicFunction::Subtract if kind == Kind::Float => AtomicOp::FSub,
            AtomicFunction::Add => AtomicOp::Add,
            AtomicFunction::Subtract => AtomicOp::Sub,
            AtomicFunction::And => AtomicOp::And,
            AtomicFunction::ExclusiveOr => AtomicOp::Xor,
            AtomicFunction::InclusiveOr => AtomicOp::Or,
            AtomicFunction::Min => {
                if signed {
                    AtomicOp::IMin
                } else {
                    AtomicOp::UMin
                }
            }
            AtomicFunction::Max => {
                if signed {
                    AtomicOp::IMax
                } else {
                    AtomicOp::UMax
                }
            }
            AtomicFunction::Exchange { compare: None } => AtomicOp::Exchange,
            AtomicFunction::Exchange { compare: Some(id) } => {
                compare = self.reg(frame, id)?;
                AtomicOp::CompareExchange
            }
        };
        self.b.at(span);
        let place = self.atomic_place(&pointer);
        let old = result.map(|_| self.b.temp());
        let done = (op == AtomicOp::CompareExchange).then(|| self.b.temp());
        self.b.push(Inst::Atomic { op, place, value, compare, old, done });
        if let (Some(result), Some(old)) = (result, old) {
            frame.values[result.index()] = Some(Value::Regs([Some(old), done].into_iter().flatten().collect()));
        }
        Ok(())
    }
}

/// Whether an `if` is what `&&` and `||` come to: both arms only compute a value for an unnamed variable. The source
/// has no branch there, and a GPU would not take one.
fn is_short_circuit(fun: &ir::Function, accept: &Block, reject: &Block) -> bool {
    let stores = |block: &Block| match block.last() {
        Some(Statement::Store { pointer, .. }) => match fun.expressions[*pointer] {
            Expression::LocalVariable(variable) => fun.local_variables[variable].name.is_none(),
            _ => false,
        },
        _ => false,
    };
    stores(accept) && stores(reject)
}
