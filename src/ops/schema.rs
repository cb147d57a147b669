//! What an operation takes and gives, read from its schema text.

use crate::diag::{ErrorClass, Fault};
use anyhow::Result;
use pest::Parser;
use pest::iterators::Pair;
use std::fmt;

#[derive(pest_derive::Parser)]
#[grammar = "../grammar/schema.pest"]
struct SchemaParser;

/// A parsed schema. Prints back to the text it came from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    /// `narrow`, `linalg.det`.
    pub name: String,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// Results in order; none for an operation without a value.
    pub returns: Vec<Return>,
    /// How many parameters can be given by place.
    pub places: usize,
    /// How many parameters, from the first on, hold all those that must be given.
    pub required: usize,
    /// True when every parameter takes one tensor, or a tensor or number.
    pub takes_operands: bool,
    /// True when the first parameter takes a tensor or number.
    pub begins_with_operand: bool,
    /// True when several parameters take a tensor, a number or nothing: the bounds of `clamp`.
    pub has_bounds: bool,
    /// True when an argument is written.
    pub writes: bool,
    /// True when a result shares memory with an argument.
    pub is_view: bool,
}

/// One parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name in calls.
    pub name: String,
    /// What it takes.
    pub kind: Kind,
    /// What it is when left out; none: it must be given.
    pub default: Option<Default>,
    /// Only by name.
    pub keyword_only: bool,
}

/// A type with its marks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// The type.
    pub base: Base,
    /// `(a)`: shares memory with the result; `(a!)`: is written.
    pub alias: Alias,
    /// `[]`, or `[2]`: a list, one bare element standing for all `n`.
    pub list: Option<Option<usize>>,
    /// `?`: may be None.
    pub optional: bool,
    /// `SymInt`: an int that numpy's arrays without dimensions stand for, as they do for no other.
    pub symbolic: bool,
}

impl Kind {
    /// True where one tensor is taken as it is.
    #[inline]
    pub fn takes_tensor(&self) -> bool {
        self.list.is_none() && matches!(self.base, Base::Tensor | Base::Operand)
    }
}

/// Whether memory is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alias {
    /// Nothing shared.
    None,
    /// `(a)`
    Shared,
    /// `(a!)`
    Written,
}

/// One result.
#[derive(Clone, Debug, PartialEq)]
pub struct Return {
    /// Its type.
    pub kind: Kind,
    /// Its name in a named result.
    pub name: Option<String>,
}

/// A default value.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Default {
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(String),
    Ints(Vec<i64>),
}

macro_rules! bases {
    ($($variant:ident $text:literal $human:literal;)*) => {
        /// The types of the notation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum Base { $($variant),* }

        impl Base {
            /// As written in a schema.
            pub fn text(self) -> &'static str {
                match self { $(Base::$variant => $text),* }
            }

            /// As an error names it.
            pub fn human(self) -> &'static str {
                match self { $(Base::$variant => $human),* }
            }

            fn from_text(text: &str) -> Option<Base> {
                match text { $($text => Some(Base::$variant),)* _ => None }
            }
        }
    };
}

bases! {
    Tensor "Tensor" "Tensor";
    Operand "Operand" "Tensor";
    Int "int" "int";
    Float "float" "float";
    Bool "bool" "bool";
    Scalar "Scalar" "Number";
    Str "str" "str";
    DType "DType" "torch.dtype";
    Device "Device" "torch.device";
    Layout "Layout" "torch.layout";
    MemoryFormat "MemoryFormat" "torch.memory_format";
    Generator "Generator" "torch.Generator";
    Storage "Storage" "torch.Storage";
    Any "Any" "object";
}

impl Schema {
    /// Reads a schema. Fails when the text is not in the notation, which a test over the table rules out.
    pub fn parse(text: &str) -> Result<Schema> {
        let wrong = |why: String| Fault::new(ErrorClass::RuntimeError, format!("bad schema `{text}`: {why}"));
        let mut parsed = SchemaParser::parse(Rule::schema, text).map_err(|e| wrong(e.variant.message().into_owned()))?;
        let mut schema = Schema::default();
        let mut keyword_only = false;
        for part in parsed.next().into_iter().flat_map(Pair::into_inner) {
            match part.as_rule() {
                Rule::path => schema.name = part.as_str().to_string(),
                Rule::params => {
                    for param in part.into_inner().flat_map(Pair::into_inner) {
                        if param.as_rule() == Rule::star {
                            keyword_only = true;
                        } else {
                            schema.params.push(read_param(param, keyword_only).map_err(wrong)?);
                        }
                    }
                }
                Rule::returns => {
                    for r in part.into_inner() {
                        schema.returns.push(read_return(r).map_err(wrong)?);
                    }
                }
                _ => {}
            }
        }
        schema.take_stock();
        Ok(schema)
    }

    /// What every call asks for, answered once.
    fn take_stock(&mut self) {
        let params = &self.params;
        let is_bound = |p: &&Param| p.kind.base == Base::Operand && p.kind.optional;
        self.places = params.iter().filter(|p| !p.keyword_only).count();
        self.required = params.iter().rposition(|p| p.default.is_none()).map_or(0, |last| last + 1);
        self.takes_operands = params.iter().all(|p| p.kind.takes_tensor());
        self.begins_with_operand = params.first().is_some_and(|p| p.kind.base == Base::Operand);
        self.has_bounds = params.iter().filter(is_bound).count() > 1;
        self.writes = params.iter().any(|p| p.kind.alias == Alias::Written);
        self.is_view = self.returns.iter().any(|r| r.kind.alias == Alias::Shared);
    }

    /// True when the first parameter is `self`.
    pub fn has_self(&self) -> bool {
        self.params.first().is_some_and(|p| p.name == "self")
    }
}

fn read_kind(pair: Pair<'_, Rule>) -> Result<Kind, String> {
    let mut kind = Kind { base: Base::Any, alias: Alias::None, list: None, optional: false, symbolic: false };
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::base => {
                kind.symbolic = part.as_str() == "SymInt";
                let text = if kind.symbolic { "int" } else { part.as_str() };
                kind.base = Base::from_text(text).ok_or_else(|| format!("no type {text}"))?;
            }
            Rule::alias => kind.alias = if part.into_inner().next().is_some() { Alias::Written } else { Alias::Shared },
            Rule::list => kind.list = Some(part.into_inner().next().and_then(|n| n.as_str().parse().ok())),
            _ => kind.optional = true,
        }
    }
    Ok(kind)
}

fn read_param(pair: Pair<'_, Rule>, keyword_only: bool) -> Result<Param, String> {
    let mut parts = pair.into_inner();
    let (Some(kind), Some(name)) = (parts.next(), parts.next()) else { return Err("a parameter needs a type and a name".into()) };
    let default = parts.next().map(|d| read_default(d.as_str())).transpose()?;
    Ok(Param { name: name.as_str().to_string(), kind: read_kind(kind)?, default, keyword_only })
}

fn read_return(pair: Pair<'_, Rule>) -> Result<Return, String> {
    let mut parts = pair.into_inner();
    let kind = parts.next().ok_or("a result needs a type")?;
    Ok(Return { kind: read_kind(kind)?, name: parts.next().map(|n| n.as_str().to_string()) })
}

fn read_default(text: &str) -> Result<Default, String> {
    let text = text.trim();
    Ok(match text {
        "None" => Default::None,
        "True" => Default::Bool(true),
        "False" => Default::Bool(false),
        "inf" => Default::Float(f64::INFINITY),
        "nan" => Default::Float(f64::NAN),
        _ if text.starts_with('"') => Default::Str(text.trim_matches('"').to_string()),
        _ if text.starts_with('[') => {
            let numbers = text.trim_matches(['[', ']']).split(',').map(str::trim).filter(|n| !n.is_empty());
            Default::Ints(numbers.map(|n| n.parse().map_err(|_| format!("bad default {text}"))).collect::<Result<_, _>>()?)
        }
        _ => match text.parse::<i64>() {
            Ok(int) => Default::Int(int),
            Err(_) => Default::Float(text.parse().map_err(|_| format!("bad default {text}"))?),
        },
    })
}

/// As help shows it: an int is an int, whether or not it may be symbolic in PyTorch.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.base.text())?;
        match self.alias {
            Alias::None => {}
            Alias::Shared => f.write_str("(a)")?,
            Alias::Written => f.write_str("(a!)")?,
        }
        match self.list {
            Some(Some(n)) => write!(f, "[{n}]")?,
            Some(None) => f.write_str("[]")?,
            None => {}
        }
        if self.optional { f.write_str("?") } else { Ok(()) }
    }
}

impl fmt::Display for Default {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Default::None => f.write_str("None"),
            Default::Bool(true) => f.write_str("True"),
            Default::Bool(false) => f.write_str("False"),
            Default::Int(i) => write!(f, "{i}"),
            Default::Float(v) if v.is_infinite() => f.write_str("inf"),
            Default::Float(v) if v.is_nan() => f.write_str("nan"),
            Default::Float(v) if *v != 0.0 && v.abs() < 1e-4 => write!(f, "{v:e}"),
            Default::Float(v) => write!(f, "{v:?}"),
            Default::Str(s) => write!(f, "\"{s}\""),
            Default::Ints(v) => write!(f, "{v:?}"),
        }
    }
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.name)?;
        match &self.default {
            Some(d) => write!(f, "={d}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Return {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{} {name}", self.kind),
            None => write!(f, "{}", self.kind),
        }
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.name)?;
        let mut star = false;
        for (i, p) in self.params.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            if p.keyword_only && !star {
                f.write_str("*, ")?;
                star = true;
            }
            write!(f, "{p}")?;
        }
        f.write_str(") -> ")?;
        match self.returns.as_slice() {
            [one] => write!(f, "{one}"),
            many => {
                let texts: Vec<String> = many.iter().map(Return::to_string).collect();
                write!(f, "({})", texts.join(", "))
            }
        }
    }
}
