//! Instruction sets that say of each operand what it is for, so that visitors are derived and a new instruction is declared once.

/// Declares an instruction set. An operand is written `name: Type as Role`, where `Role` is a variant of the enum `Field` of the same
/// module; operands are visited in the order that they have here. One without a role names no register, memory or place in the code.
macro_rules! with_roles {
    ($(#[$doc:meta])* pub enum $set:ident {$(
        $(#[$about:meta])* $name:ident $(($inner:ty))? $({ $($field:ident: $ty:ty $(as $role:ident)?),* $(,)? })?,
    )*}) => {
        $(#[$doc])*
        pub enum $set {$(
            $(#[$about])* $name $(($inner))? $({ $($field: $ty),* })?,
        )*}

        impl $set {
            /// Calls `visit` with each operand that has a role.
            #[inline(always)]
            #[expect(unused_variables, reason = "operands without a role")]
            fn fields<'a>(&'a mut self, visit: &mut impl FnMut(Field<'a>)) {
                match self {$(
                    Self::$name { $($($field,)*)? .. } => { $($($(visit(Field::$role($field));)?)*)? }
                )*}
            }
        }
    };
}

pub(super) use with_roles;
