//! Cosines and sines of parts of a turn.

/// Of the multiples of a fifth, a seventh, an eleventh and a thirteenth of a turn, up to half of one: as far off the true ones as those of
/// PyTorch's library, which took the cosine of an angle that was rounded before.
const PRIMES: [&[[f64; 2]]; 4] = [
    &[[0.309_016_994_374_947_45, 0.951_056_516_295_153_5], [-0.809_016_994_374_947_3, 0.587_785_252_292_473_2]],
    &[
        [0.623_489_801_858_733_6, 0.781_831_482_468_029_8],
        [-0.222_520_933_956_314_34, 0.974_927_912_181_823_6],
        [-0.900_968_867_902_419, 0.433_883_739_117_558_23],
    ],
    &[
        [0.841_253_532_831_181_2, 0.540_640_817_455_597_6],
        [0.415_415_013_001_886_44, 0.909_631_995_354_518_3],
        [-0.142_314_838_273_285, 0.989_821_441_880_932_8],
        [-0.654_860_733_945_285, 0.755_749_574_354_258_3],
        [-0.959_492_973_614_497_4, 0.281_732_556_841_429_67],
    ],
    &[
        [0.885_456_025_653_209_9, 0.464_723_172_043_768_5],
        [0.568_064_746_731_155_9, 0.822_983_865_893_656_4],
        [0.120_536_680_255_323, 0.992_708_874_098_054],
        [-0.354_604_887_042_535_45, 0.935_016_242_685_414_8],
        [-0.748_510_748_171_101_2, 0.663_122_658_240_795_2],
        [-0.970_941_817_426_052, 0.239_315_664_287_557_68],
    ],
];

/// The sine of a third of a turn.
pub const THIRD: f64 = 0.866_025_403_784_438_6;
/// The cosine and the sine of an eighth of a turn.
pub const EIGHTH: f64 = std::f64::consts::FRAC_1_SQRT_2;
const SIXTEENTH: [f64; 2] = [0.923_879_532_511_286_7, 0.382_683_432_365_089_8];

/// The cosine and the sine of `m` `p`-th parts of a turn, for a prime number `p` from 3 to 13.
#[inline(always)]
pub fn of_prime(p: usize, m: usize) -> [f64; 2] {
    let m = m % p;
    let (near, sign) = if m > p - m { (p - m, -1.0) } else { (m, 1.0) };
    let [cosine, sine] = match (near, p) {
        (0, _) => [1.0, 0.0],
        (_, 3) => [-0.5, THIRD],
        _ => PRIMES[[5, 7, 11, 13].iter().position(|known| *known == p).unwrap_or_default()][near - 1],
    };
    [cosine, sign * sine]
}

/// The cosine and the sine of `m` `n`-th parts of a turn, as far as lines of 8, 9, 12 and 16 numbers need them.
pub fn of_product(n: usize, m: usize) -> [f64; 2] {
    let [near, far] = SIXTEENTH;
    match (n, m) {
        (9, 1) => [0.766_044_443_118_978, 0.642_787_609_686_539_4],
        (9, 2) => [0.173_648_177_666_930_36, 0.984_807_753_012_208],
        (9, _) => [-0.939_692_620_785_908_4, 0.342_020_143_325_668_7],
        (12, 1) => [THIRD, 0.5],
        (12, 2) => [0.5, THIRD],
        (12, _) => [-0.5, THIRD],
        (16, 1) => [near, far],
        (16, 3) => [far, near],
        (16, 9) => [-near, -far],
        (8, 3) | (16, 6) => [-EIGHTH, EIGHTH],
        _ => [EIGHTH, EIGHTH],
    }
}
