/// Where a whole number falls in an exponential histogram of scale 5: 32 buckets an octave, upper-inclusive.
///
/// Bucket i holds the values in (2^(i/32), 2^((i+1)/32)]. The index is exact: it compares the number's 64-bit
/// mantissa with ⌊2^(63 + k/32)⌋, and a whole mantissa is at most 2^(63 + k/32) exactly where it is at most that.
enum BucketIndex {
    /// The scale that a histogram starts with, and the finest.
    static let scale = 5

    /// The index of `value`, which must be positive.
    @inline(__always)
    static func of(_ value: Int64) -> Int32 {
        let magnitude = UInt64(bitPattern: value)
        let zeros = magnitude.leadingZeroBitCount
        let mantissa = magnitude << UInt64(zeros)
        // The top six bits below the leading one name a slice that at most one bound divides.
        let low = Int(firstBound[Int(mantissa >> 57) & 63])
        let step = low < 32 && mantissa > bounds[low] ? low + 1 : low
        return Int32((63 - zeros) * 32 + step - 1)
    }

    /// ⌊2^(63 + k/32)⌋ for k = 0 … 31.
    static let bounds: InlineArray<32, UInt64> = [
        0x8000_0000_0000_0000, 0x82CD_8698_AC2B_A1D7, 0x85AA_C367_CC48_7B14, 0x8898_0E80_92DA_8527,
        0x8B95_C1E3_EA8B_D6E6, 0x8EA4_398B_45CD_53C0, 0x91C3_D373_AB11_C336, 0x94F4_EFA8_FEF7_0961,
        0x9837_F051_8DB8_A96F, 0x9B8D_39B9_D54E_5538, 0x9EF5_3260_91A1_11AD, 0xA270_4303_0C49_6818,
        0xA5FE_D6A9_B151_38EA, 0xA9A1_5AB4_EA7C_0EF8, 0xAD58_3EEA_42A1_4AC6, 0xB123_F581_D2AC_258F,
        0xB504_F333_F9DE_6484, 0xB8FB_AF47_62FB_9EE9, 0xBD08_A39F_580C_36BE, 0xC12C_4CCA_6670_9456,
        0xC567_2A11_5506_DADD, 0xC9B9_BD86_6E2F_27A2, 0xCE24_8C15_1F84_80E3, 0xD2A8_1D91_F12A_E45A,
        0xD744_FCCA_D69D_6AF4, 0xDBFB_B797_DAF2_3755, 0xE0CC_DEEC_2A94_E111, 0xE5B9_06E7_7C83_48A8,
        0xEAC0_C6E7_DD24_392E, 0xEFE4_B99B_DCDA_F5CB, 0xF525_7D15_2486_CC2C, 0xFA83_B2DB_722A_033A,
    ]

    /// For each slice of 1/64 of the octave, the first k whose bound its smallest mantissa does not pass.
    static let firstBound: InlineArray<64, UInt8> = [
        0, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7, 8, 8, 9, 10, 10,
        11, 11, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18, 19,
        19, 20, 20, 21, 21, 22, 22, 22, 23, 23, 24, 24, 25, 25, 26, 26,
        26, 27, 27, 28, 28, 28, 29, 29, 30, 30, 30, 31, 31, 31, 32, 32,
    ]

    /// The geometric middle of bucket `index` of a histogram of `scale` (at most 5): 2^((index + ½) / 2^scale).
    ///
    /// The same number on every machine: a correctly rounded constant times a power of two.
    static func middle(_ index: Int32, scale: Int) -> Double {
        let sixtyFourths = (2 * Int(index) + 1) << (Self.scale - scale)
        let power = Double(sign: .plus, exponent: sixtyFourths >> 6, significand: 1)
        return roots[sixtyFourths & 63] * power
    }

    /// 2^(f/64) for f = 0 … 63, each rounded to the nearest.
    static let roots: InlineArray<64, Double> = [
        0x1.0000000000000p0, 0x1.02c9a3e778061p0, 0x1.059b0d3158574p0, 0x1.0874518759bc8p0,
        0x1.0b5586cf9890fp0, 0x1.0e3ec32d3d1a2p0, 0x1.11301d0125b51p0, 0x1.1429aaea92de0p0,
        0x1.172b83c7d517bp0, 0x1.1a35beb6fcb75p0, 0x1.1d4873168b9aap0, 0x1.2063b88628cd6p0,
        0x1.2387a6e756238p0, 0x1.26b4565e27cddp0, 0x1.29e9df51fdee1p0, 0x1.2d285a6e4030bp0,
        0x1.306fe0a31b715p0, 0x1.33c08b26416ffp0, 0x1.371a7373aa9cbp0, 0x1.3a7db34e59ff7p0,
        0x1.3dea64c123422p0, 0x1.4160a21f72e2ap0, 0x1.44e086061892dp0, 0x1.486a2b5c13cd0p0,
        0x1.4bfdad5362a27p0, 0x1.4f9b2769d2ca7p0, 0x1.5342b569d4f82p0, 0x1.56f4736b527dap0,
        0x1.5ab07dd485429p0, 0x1.5e76f15ad2148p0, 0x1.6247eb03a5585p0, 0x1.6623882552225p0,
        0x1.6a09e667f3bcdp0, 0x1.6dfb23c651a2fp0, 0x1.71f75e8ec5f74p0, 0x1.75feb564267c9p0,
        0x1.7a11473eb0187p0, 0x1.7e2f336cf4e62p0, 0x1.82589994cce13p0, 0x1.868d99b4492edp0,
        0x1.8ace5422aa0dbp0, 0x1.8f1ae99157736p0, 0x1.93737b0cdc5e5p0, 0x1.97d829fde4e50p0,
        0x1.9c49182a3f090p0, 0x1.a0c667b5de565p0, 0x1.a5503b23e255dp0, 0x1.a9e6b5579fdbfp0,
        0x1.ae89f995ad3adp0, 0x1.b33a2b84f15fbp0, 0x1.b7f76f2fb5e47p0, 0x1.bcc1e904bc1d2p0,
        0x1.c199bdd85529cp0, 0x1.c67f12e57d14bp0, 0x1.cb720dcef9069p0, 0x1.d072d4a07897cp0,
        0x1.d5818dcfba487p0, 0x1.da9e603db3285p0, 0x1.dfc97337b9b5fp0, 0x1.e502ee78b3ff6p0,
        0x1.ea4afa2a490dap0, 0x1.efa1bee615a27p0, 0x1.f50765b6e4540p0, 0x1.fa7c1819e90d8p0,
    ]
}
