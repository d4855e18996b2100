//! The pipe of a processor that executes an instruction of machine code.
//!
//! Opcodes are those of the CUDA Binary Utilities' instruction tables for Turing to Blackwell
//! (<https://docs.nvidia.com/cuda/cuda-binary-utilities/>), pipes those of Nsight Compute's documentation
//! (<https://docs.nvidia.com/nsight-compute/ProfilingGuide/>, Pipelines).

use serde::Serialize;

macro_rules! pipes {
    ($($pipe:ident $name:ident $work:literal $opcodes:literal;)*) => {
        /// A pipe, by Nsight Compute's name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Pipe {
            $(#[doc = $work] $pipe,)*
            /// No documented pipe, or an opcode that is not in the table.
            Other,
        }

        impl Pipe {
            /// Its name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$pipe => stringify!($name),)*
                    Self::Other => "other",
                }
            }

            /// Its name and the work that it does.
            #[must_use]
            pub fn words(self) -> &'static str {
                match self {
                    $(Self::$pipe => concat!(stringify!($name), ": ", $work),)*
                    Self::Other => "other",
                }
            }
        }

        /// Opcodes by pipe.
        const OPCODES: &[(Pipe, &str)] = &[$((Pipe::$pipe, $opcodes)),*];
    };
}

// A row is a pipe with its name, its work, and its opcodes without modifiers.
pipes! {
    Tensor tensor "matrix products"
        "HMMA IMMA DMMA BMMA QMMA OMMA HGMMA IGMMA QGMMA BGMMA WARPGROUP WARPGROUPSET UTCHMMA UTCIMMA UTCOMMA UTCQMMA";
    Fma fma "f32 sums and products, integer products"
        "FADD FADD2 FADD32I FMUL FMUL2 FMUL32I FFMA FFMA2 FFMA32I FSWZADD FHADD FHFMA IMAD IMUL IMUL32I IDP IDP4A";
    Fp16 fp16 "pairs of halves"
        "HADD2 HADD2_32I HFMA2 HFMA2_32I HMUL2 HMUL2_32I HMNMX2 HSET2 HSETP2";
    Fp64 fp64 "doubles"
        "DADD DFMA DMUL DSETP DMNMX DSET";
    Alu alu "integers, bits, comparisons, selections"
        "BMSK FCHK FMNMX FMNMX3 FSEL FSET FSETP F2FP I2FP I2IP F2IP IABS IADD IADD3 IADD32I IMNMX ISCADD ISCADD32I \
         ISETP LEA LOP LOP3 LOP32I MOV MOV32I PRMT SEL SGXT SHF SHL SHR VABSDIFF VABSDIFF4 VHMNMX VIADD VIADDMNMX \
         VIMNMX VIMNMX3 PLOP3 PSETP P2R R2P VOTE LEPC";
    Xu xu "exp, log, sin, roots, conversions"
        "MUFU F2F F2I I2F I2I FRND POPC FLO BREV";
    Lsu lsu "loads, stores, atomics, shuffles"
        "LD LDG LDGMC LDGSTS LDGDEPBAR LDL LDS LDSM LDT LDTM ST STG STL STS STSM STAS STT STTM ATOM ATOMG ATOMS RED \
         REDG REDAS SHFL S2R SYNCS FENCE MEMBAR ERRBAR CCTL CCTLL QSPC";
    Tma tma "bulk and tensor copies"
        "UBLKCP UBLKPF UBLKRED UTMACCTL UTMACMDFLUSH UTMALDG UTMAPF UTMAREDG UTMASTG";
    Tex tex "textures and surfaces"
        "TEX TLD TLD4 TMML TXD TXQ SUATOM SULD SURED SUST CCTLT";
    Uniform uniform "one value for the whole warp"
        "R2UR REDUX CREDUX S2UR LDCU UBMSK UBREV UCLEA UFLO UIADD3 UIMAD UISETP ULDC ULEA ULEPC ULOP ULOP3 ULOP32I \
         UMOV UP2UR UPLOP3 UPOPC UPRMT UPSETP UR2UP USEL USETMAXREG USGXT USHF USHL USHR VOTEU UF2FP UFADD UFFMA \
         UFMNMX UFMUL UFRND UFSEL UFSET UFSETP UI2F UI2FP UIABS UIMNMX UVIADD UVIMNMX UGETNEXTWORKID";
    Adu adu "constants, barriers of a block"
        "LDC BAR B2R UCGABAR_ARV UCGABAR_WAIT";
    Cbu cbu "branches and convergence"
        "ACQBULK BMOV BPT BRA BREAK BRX BRXU BSSY BSYNC CALL CGAERRBAR ELECT ENDCOLLECTIVE EXIT JMP JMX JMXU KILL \
         NANOSLEEP PREEXIT RET RPCMOV WARPSYNC YIELD";
}

/// The pipe that executes an opcode without modifiers, such as `LDG`.
#[must_use]
pub fn pipe(opcode: &str) -> Pipe {
    let row = OPCODES.iter().find(|(_, opcodes)| opcodes.split_whitespace().any(|known| known == opcode));
    row.map_or(Pipe::Other, |(pipe, _)| *pipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opcode_has_one_pipe() {
        let mut all: Vec<&str> = OPCODES.iter().flat_map(|(_, opcodes)| opcodes.split_whitespace()).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert_eq!([pipe("HGMMA"), pipe("LDG"), pipe("NOP")], [Pipe::Tensor, Pipe::Lsu, Pipe::Other]);
    }
}
