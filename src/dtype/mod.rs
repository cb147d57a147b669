//! What an element is: the table of dtypes. Knows nobody.

mod eighth;
mod general;
mod limits;
mod number;
mod promote;

pub use eighth::{from_e8m0, from_fnuz, to_e8m0, to_fnuz};
pub use general::general;
pub use limits::{FloatLimits, IntLimits};
pub use number::{Number, to_e5m2};
pub use promote::{Category, can_cast, promote, result_type};

/// How kernels compute on a dtype. Narrow types are widened to their class block by block, computed there, and rounded back
/// after every instruction; so code grows with dtypes + operations, not with their product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// `f32`: float32, float16, bfloat16, float8.
    F32,
    /// `f64`: float64.
    F64,
    /// `i64`: signed integers, uint8, uint16, uint32, bool.
    I64,
    /// `u64`: uint64.
    U64,
    /// `Complex<f32>`: complex64, complex32, bcomplex32.
    C64,
    /// `Complex<f64>`: complex128.
    C128,
}

impl Class {
    /// Bytes of one value in a register block.
    pub const fn size(self) -> usize {
        match self {
            Class::F32 => 4,
            Class::F64 | Class::I64 | Class::U64 | Class::C64 => 8,
            Class::C128 => 16,
        }
    }
}

/// The kinds of number PyTorch tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// bool
    Bool,
    /// unsigned integers
    Unsigned,
    /// signed integers
    Signed,
    /// real floats
    Float,
    /// complex
    Complex,
}

/// One row of the dtype table.
#[derive(Debug)]
pub struct Info {
    /// `float32`
    pub name: &'static str,
    /// Other names in `torch.`: `float`.
    pub aliases: &'static [&'static str],
    /// Bytes of an element.
    pub size: usize,
    /// How it is computed.
    pub class: Class,
    /// What kind of number it is.
    pub kind: Kind,
    /// `FloatTensor`, the legacy constructor and the text of `x.type()`; empty where PyTorch has none.
    pub tensor: &'static str,
    /// The name in PyTorch's messages: `Float`.
    pub title: &'static str,
    /// The name in C++, which other messages have: `long int`.
    pub c_name: &'static str,
}

macro_rules! dtypes {
    ($($variant:ident $name:literal [$($alias:literal),*] $size:literal $class:ident $kind:ident $tensor:literal $title:literal $c_name:literal;)*) => {
        /// The type of a tensor's elements.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        #[repr(u8)]
        pub enum DType { $($variant),* }

        static TABLE: &[Info] = &[$(Info {
            name: $name, aliases: &[$($alias),*], size: $size, class: Class::$class, kind: Kind::$kind, tensor: $tensor, title: $title, c_name: $c_name,
        }),*];

        impl DType {
            /// Every dtype, in the order of the table.
            pub const ALL: &[DType] = &[$(DType::$variant),*];
        }
    };
}

dtypes! {
    U8   "uint8"         []          1 I64  Unsigned "ByteTensor" "Byte" "unsigned char";
    I8   "int8"          []          1 I64  Signed   "CharTensor" "Char" "signed char";
    I16  "int16"         ["short"]   2 I64  Signed   "ShortTensor" "Short" "short int";
    I32  "int32"         ["int"]     4 I64  Signed   "IntTensor" "Int" "int";
    I64  "int64"         ["long"]    8 I64  Signed   "LongTensor" "Long" "long int";
    F16  "float16"       ["half"]    2 F32  Float    "HalfTensor" "Half" "c10::Half";
    F32  "float32"       ["float"]   4 F32  Float    "FloatTensor" "Float" "float";
    F64  "float64"       ["double"]  8 F64  Float    "DoubleTensor" "Double" "double";
    C32  "complex32"     ["chalf"]   4 C64  Complex  "ComplexHalfTensor" "ComplexHalf" "c10::complex<c10::Half>";
    C64  "complex64"     ["cfloat"]  8 C64  Complex  "ComplexFloatTensor" "ComplexFloat" "c10::complex<float>";
    C128 "complex128"    ["cdouble"] 16 C128 Complex "ComplexDoubleTensor" "ComplexDouble" "c10::complex<double>";
    Bool "bool"          []          1 I64  Bool     "BoolTensor" "Bool" "bool";
    BF16 "bfloat16"      []          2 F32  Float    "BFloat16Tensor" "BFloat16" "c10::BFloat16";
    U16  "uint16"        []          2 I64  Unsigned "UInt16Tensor" "UInt16" "short unsigned int";
    U32  "uint32"        []          4 I64  Unsigned "UInt32Tensor" "UInt32" "unsigned int";
    U64  "uint64"        []          8 U64  Unsigned "UInt64Tensor" "UInt64" "long unsigned int";
    F8E4M3 "float8_e4m3fn" []        1 F32  Float    "Float8_e4m3fnTensor" "Float8_e4m3fn" "c10::Float8_e4m3fn";
    F8E5M2 "float8_e5m2" []          1 F32  Float    "Float8_e5m2Tensor" "Float8_e5m2" "c10::Float8_e5m2";
    F8E4M3Z "float8_e4m3fnuz" []     1 F32  Float    "Float8_e4m3fnuzTensor" "Float8_e4m3fnuz" "c10::Float8_e4m3fnuz";
    F8E5M2Z "float8_e5m2fnuz" []     1 F32  Float    "Float8_e5m2fnuzTensor" "Float8_e5m2fnuz" "c10::Float8_e5m2fnuz";
    F8E8M0 "float8_e8m0fnu" []       1 F32  Float    "Float8_e8m0fnuTensor" "Float8_e8m0fnu" "c10::Float8_e8m0fnu";
    BC32 "bcomplex32"    []          4 C64  Complex  "BComplex32Tensor" "BComplex32" "c10::complex<c10::BFloat16>";
}

impl DType {
    /// Its row of the table.
    pub fn info(self) -> &'static Info {
        &TABLE[self as usize]
    }

    /// `float32`, without `torch.`.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Bytes of an element.
    pub fn size(self) -> usize {
        self.info().size
    }

    /// `FloatStorage`, the legacy class of a storage of this dtype, of which the newer dtypes have none.
    pub fn storage_class(self) -> Option<&'static str> {
        Some(match self {
            DType::U8 => "ByteStorage",
            DType::I8 => "CharStorage",
            DType::I16 => "ShortStorage",
            DType::I32 => "IntStorage",
            DType::I64 => "LongStorage",
            DType::F16 => "HalfStorage",
            DType::F32 => "FloatStorage",
            DType::F64 => "DoubleStorage",
            DType::C64 => "ComplexFloatStorage",
            DType::C128 => "ComplexDoubleStorage",
            DType::Bool => "BoolStorage",
            DType::BF16 => "BFloat16Storage",
            _ => return None,
        })
    }

    /// How kernels compute on it.
    pub fn class(self) -> Class {
        self.info().class
    }

    /// What kind of number it is.
    pub fn kind(self) -> Kind {
        self.info().kind
    }

    /// The name in PyTorch's messages: `Float`, `Long`.
    pub fn title(self) -> &'static str {
        self.info().title
    }

    /// The name in C++, which other messages have: `float`, `long int`.
    pub fn c_name(self) -> &'static str {
        self.info().c_name
    }

    /// True for real floats.
    pub fn is_float(self) -> bool {
        self.kind() == Kind::Float
    }

    /// True for float8, which is for storing.
    #[inline]
    pub fn is_float8(self) -> bool {
        self.size() == 1 && self.is_float()
    }

    /// True for complex dtypes.
    pub fn is_complex(self) -> bool {
        self.kind() == Kind::Complex
    }

    /// True for complex numbers of two 16-bit floats: complex32 and bcomplex32.
    pub fn is_half_complex(self) -> bool {
        matches!(self, DType::C32 | DType::BC32)
    }

    /// True for integers, bool included when `with_bool`.
    pub fn is_integral(self, with_bool: bool) -> bool {
        matches!(self.kind(), Kind::Signed | Kind::Unsigned) || (with_bool && self == DType::Bool)
    }

    /// The dtype with this name or alias, with or without `torch.`.
    pub fn from_name(name: &str) -> Option<DType> {
        let name = name.strip_prefix("torch.").unwrap_or(name);
        DType::ALL.iter().copied().find(|d| d.name() == name || d.info().aliases.contains(&name))
    }

    /// The real dtype of a complex dtype's parts; any other dtype is its own.
    pub fn to_real(self) -> DType {
        match self {
            DType::C32 => DType::F16,
            DType::BC32 => DType::BF16,
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }

    /// The complex dtype whose parts have this float dtype (other kinds: complex64).
    pub fn to_complex(self) -> DType {
        match self {
            DType::F16 | DType::C32 => DType::C32,
            DType::BF16 | DType::BC32 => DType::BC32,
            DType::F64 | DType::C128 => DType::C128,
            _ => DType::C64,
        }
    }
}

impl std::fmt::Display for DType {
    /// `torch.float32`, as Python shows it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "torch.{}", self.name())
    }
}
