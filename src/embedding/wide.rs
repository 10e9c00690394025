//! Runs a computation with the widest vector instructions of this machine.
//!
//! The only unsafe code of the package: calls of functions that need a processor feature, each right
//! behind the check for it, and loads from arrays. Everything else is safe code that is compiled once
//! for each [`Machine`]. The results are the same bits in each: sums of integers are exact, and no
//! sum of floats is reordered.
#![allow(unsafe_code)]

/// Rows of weights that are multiplied at once.
pub(crate) const WEIGHTS: usize = 4;

/// A set of vector instructions. Only this module makes values of it, after checking for them.
pub(crate) trait Machine: Copy {
    /// The products of these rows, in 32 bits; sums that do not fit wrap around.
    fn products<const K: usize, const T: usize>(
        self,
        weights: &[[i16; K]; WEIGHTS],
        tokens: &[[i16; K]; T],
    ) -> [[i32; WEIGHTS]; T];
}

/// What [`run`] runs. Its method must be `#[inline(always)]`, as must be all that it calls, to be
/// compiled for the machine.
pub(crate) trait Work {
    fn on(self, machine: impl Machine);
}

/// Runs `work` with the widest instructions that there are.
pub(crate) fn run(work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    {
        if x86::Avx512::is_there() {
            // SAFETY: the processor has all features that the function is compiled for.
            return unsafe { x86::with_avx512(work) };
        }
        if x86::Avx2::is_there() {
            // SAFETY: the processor has the feature that the function is compiled for.
            return unsafe { x86::with_avx2(work) };
        }
    }
    work.on(Plain);
}

/// What every machine has.
#[derive(Clone, Copy)]
struct Plain;

impl Machine for Plain {
    #[inline(always)]
    fn products<const K: usize, const T: usize>(
        self,
        weights: &[[i16; K]; WEIGHTS],
        tokens: &[[i16; K]; T],
    ) -> [[i32; WEIGHTS]; T] {
        tokens.each_ref().map(|token| weights.each_ref().map(|weights| dot(weights, token)))
    }
}

/// One product, in a form that compilers can vectorise.
#[inline(always)]
fn dot(left: &[i16], right: &[i16]) -> i32 {
    left.iter().zip(right).fold(0, |sum: i32, (&left, &right)| {
        sum.wrapping_add(i32::from(left).wrapping_mul(i32::from(right)))
    })
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_shuffle_epi32, _mm256_add_epi32,
        _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_madd_epi16,
        _mm256_setzero_si256, _mm512_dpwssd_epi32, _mm512_loadu_si512, _mm512_reduce_add_epi32,
        _mm512_setzero_si512,
    };

    use super::{Machine, WEIGHTS, Work, dot};

    /// 512 bits, with products of 16 bits added up in one instruction.
    #[derive(Clone, Copy)]
    pub(super) struct Avx512(());

    /// 256 bits.
    #[derive(Clone, Copy)]
    pub(super) struct Avx2(());

    impl Avx512 {
        pub(super) fn is_there() -> bool {
            is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vnni")
        }
    }

    impl Avx2 {
        pub(super) fn is_there() -> bool {
            is_x86_feature_detected!("avx2")
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    pub(super) fn with_avx512(work: impl Work) {
        work.on(Avx512(()));
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn with_avx2(work: impl Work) {
        work.on(Avx2(()));
    }

    impl Machine for Avx512 {
        #[inline(always)]
        fn products<const K: usize, const T: usize>(
            self,
            weights: &[[i16; K]; WEIGHTS],
            tokens: &[[i16; K]; T],
        ) -> [[i32; WEIGHTS]; T] {
            // SAFETY: a value of this type is only made where the features have been detected.
            unsafe { products_512(weights, tokens) }
        }
    }

    impl Machine for Avx2 {
        #[inline(always)]
        fn products<const K: usize, const T: usize>(
            self,
            weights: &[[i16; K]; WEIGHTS],
            tokens: &[[i16; K]; T],
        ) -> [[i32; WEIGHTS]; T] {
            // SAFETY: a value of this type is only made where the feature has been detected.
            unsafe { products_256(weights, tokens) }
        }
    }

    // Closures passed to functions without these features would not be inlined: hence plain loops.

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
    fn products_512<const K: usize, const T: usize>(
        weights: &[[i16; K]; WEIGHTS],
        tokens: &[[i16; K]; T],
    ) -> [[i32; WEIGHTS]; T] {
        let mut sums = [[_mm512_setzero_si512(); WEIGHTS]; T];
        for at in 0..K / 32 {
            for weight in 0..WEIGHTS {
                let weights = load_512(&weights[weight], at);
                for token in 0..T {
                    let tokens = load_512(&tokens[token], at);
                    sums[token][weight] = _mm512_dpwssd_epi32(sums[token][weight], weights, tokens);
                }
            }
        }
        let mut whole = [[0; WEIGHTS]; T];
        for token in 0..T {
            for weight in 0..WEIGHTS {
                whole[token][weight] = _mm512_reduce_add_epi32(sums[token][weight]);
            }
        }
        add_rest(&mut whole, weights, tokens, K / 32 * 32);
        whole
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load_512<const K: usize>(row: &[i16; K], at: usize) -> __m512i {
        let part: &[i16; 32] = &row.as_chunks().0[at];
        // SAFETY: the array has the 64 bytes that are read.
        unsafe { _mm512_loadu_si512(part.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn products_256<const K: usize, const T: usize>(
        weights: &[[i16; K]; WEIGHTS],
        tokens: &[[i16; K]; T],
    ) -> [[i32; WEIGHTS]; T] {
        let mut sums = [[_mm256_setzero_si256(); WEIGHTS]; T];
        for at in 0..K / 16 {
            for weight in 0..WEIGHTS {
                let weights = load_256(&weights[weight], at);
                for token in 0..T {
                    let product = _mm256_madd_epi16(weights, load_256(&tokens[token], at));
                    sums[token][weight] = _mm256_add_epi32(sums[token][weight], product);
                }
            }
        }
        let mut whole = [[0; WEIGHTS]; T];
        for token in 0..T {
            for weight in 0..WEIGHTS {
                whole[token][weight] = added_up(sums[token][weight]);
            }
        }
        add_rest(&mut whole, weights, tokens, K / 16 * 16);
        whole
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load_256<const K: usize>(row: &[i16; K], at: usize) -> __m256i {
        let part: &[i16; 16] = &row.as_chunks().0[at];
        // SAFETY: the array has the 32 bytes that are read.
        unsafe { _mm256_loadu_si256(part.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn added_up(sums: __m256i) -> i32 {
        let half = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        let quarter = _mm_add_epi32(half, _mm_shuffle_epi32::<0b_00_00_11_10>(half));
        let one = _mm_add_epi32(quarter, _mm_shuffle_epi32::<0b_00_00_00_01>(quarter));
        _mm_cvtsi128_si32(one)
    }

    /// Adds what is behind the last whole vector.
    #[inline(always)]
    fn add_rest<const K: usize, const T: usize>(
        sums: &mut [[i32; WEIGHTS]; T],
        weights: &[[i16; K]; WEIGHTS],
        tokens: &[[i16; K]; T],
        from: usize,
    ) {
        if from == K {
            return;
        }
        for (sums, token) in sums.iter_mut().zip(tokens) {
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum = sum.wrapping_add(dot(&weight[from..], &token[from..]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const K: usize = 75;

    fn rows<const N: usize>(seed: i32) -> [[i16; K]; N] {
        std::array::from_fn(|row| {
            std::array::from_fn(|at| {
                let mixed = (row as i32 * 7_919 + at as i32 * 104_729 + seed).wrapping_mul(48_271);
                (mixed >> 16) as i16
            })
        })
    }

    /// The sums must be those of plain code, rests and wrapping included.
    fn agrees(machine: impl Machine) {
        let (weights, tokens) = (rows::<WEIGHTS>(1), rows::<3>(2));
        assert_eq!(machine.products(&weights, &tokens), Plain.products(&weights, &tokens));
        let most = [[i16::MIN; K]; WEIGHTS];
        assert_eq!(machine.products(&most, &most), Plain.products(&most, &most));
    }

    struct Agrees;

    impl Work for Agrees {
        fn on(self, machine: impl Machine) {
            agrees(machine);
        }
    }

    #[test]
    fn all_machines_compute_the_same() {
        run(Agrees);
        #[cfg(target_arch = "x86_64")]
        if x86::Avx2::is_there() {
            // SAFETY: the feature has just been detected.
            unsafe { x86::with_avx2(Agrees) };
        }
        let product: i32 = (0..K).map(|at| (at * at) as i32).sum();
        let row: [i16; K] = std::array::from_fn(|at| at as i16);
        assert_eq!(Plain.products(&[row; WEIGHTS], &[row]), [[product; WEIGHTS]]);
    }
}
