//! The random numbers that PyTorch drew, recorded: `tests/goldens/rng.jsonl`. Bits and the state of the generator after each
//! step.

use crate::goldens::{bytes_of, dtype_of, integers, records};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use tsr::diag::Source;
use tsr::dtype::{DType, Number};
use tsr::kernel::order::output_layout;
use tsr::kernel::rng::{self, Dist, Generator};
use tsr::lang::Interp;
use tsr::layout::{Layout, contiguous_strides};
use tsr::ops::exec;
use tsr::value::Value;

fn sha(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(8).map(|b| format!("{b:02x}")).collect()
}

/// Numbers, nested or not, in row-major order.
fn flat(json: &Json) -> Vec<f64> {
    match json {
        Json::Array(items) => items.iter().flat_map(flat).collect(),
        other => vec![other.as_f64().expect("a number")],
    }
}

/// A number as a tensor of a dtype holds it.
fn held(dtype: DType, value: f64) -> f64 {
    let mut bytes = [0; 16];
    Number::Float(value).write(dtype, &mut bytes);
    Number::read(dtype, &bytes).to_f64()
}

/// One step: its fields, and the layout of the tensor it fills.
struct Step<'a>(&'a Json);

impl Step<'_> {
    fn dtype(&self) -> DType {
        dtype_of(&self.0["dtype"])
    }

    fn argument(&self, index: usize, default: f64) -> f64 {
        self.0["args"][index].as_f64().unwrap_or(default)
    }

    fn integer(&self, index: usize) -> Option<i64> {
        self.0["args"][index].as_i64()
    }

    fn layout(&self) -> Layout {
        let sizes = integers(&self.0["shape"]);
        match self.0["strides"].is_null() {
            true => Layout::contiguous(&sizes),
            false => Layout::new(&sizes, &integers(&self.0["strides"]), self.0["offset"].as_i64().unwrap_or(0)),
        }
    }

    fn dist(&self) -> Dist {
        match self.0["op"].as_str().expect("a name") {
            "rand" | "rand_like" => Dist::Uniform { from: 0.0, to: 1.0 },
            "randn" | "randn_like" => Dist::Normal { mean: 0.0, std: 1.0 },
            "uniform_" => Dist::Uniform { from: self.argument(0, 0.0), to: self.argument(1, 1.0) },
            "normal_" => Dist::Normal { mean: self.argument(0, 0.0), std: self.argument(1, 1.0) },
            "random_" if self.0["args"].is_null() => Dist::Whole,
            "random_" | "randint" => Dist::Between { from: self.integer(0).expect("an integer"), to: self.integer(1) },
            "bernoulli_" => Dist::Bernoulli { p: self.argument(0, 0.5) },
            "exponential_" => Dist::Exponential { rate: self.argument(0, 1.0) },
            "geometric_" => Dist::Geometric { p: self.argument(0, 0.5) },
            "cauchy_" => Dist::Cauchy { median: self.argument(0, 0.0), sigma: self.argument(1, 1.0) },
            "log_normal_" => Dist::LogNormal { mean: self.argument(0, 1.0), std: self.argument(1, 2.0) },
            other => panic!("no such step: {other}"),
        }
    }

    /// The elements of the result in row-major order; none for steps whose values need arithmetic on tensors.
    fn run(&self, generator: &mut Generator) -> Option<Vec<u8>> {
        let json = self.0;
        let bytes_per = |dtype: DType, values: Vec<i64>| {
            let mut out = vec![0; values.len() * dtype.size()];
            out.chunks_mut(dtype.size()).zip(values).for_each(|(place, v)| Number::Int(v).write(dtype, place));
            out
        };
        match json["op"].as_str().expect("a name") {
            "randperm" => Some(bytes_per(self.dtype(), rng::permutation(generator, json["n"].as_i64()?).expect("runs"))),
            "multinomial" => {
                let weights: Vec<f64> = flat(&json["weights"]).iter().map(|w| held(self.dtype(), *w)).collect();
                let columns = json["weights"][0].as_array().map_or(weights.len(), Vec::len);
                let (samples, replacement) = (json["n"].as_u64()? as usize, json["replacement"] == true);
                let found = rng::multinomial(generator, &weights, columns, samples, replacement, self.dtype(), None);
                Some(bytes_per(DType::I64, found.expect("runs")))
            }
            "poisson" => {
                let counts = flat(&json["rates"]).into_iter().map(|r| rng::poisson(generator, held(self.dtype(), r)) as i64);
                Some(bytes_per(self.dtype(), counts.collect()))
            }
            "bernoulli" | "bernoulli_t_" => {
                let p_dtype = if json["p_dtype"].is_null() { self.dtype() } else { dtype_of(&json["p_dtype"]) };
                let p: Vec<f64> = flat(&json["p"]).iter().map(|p| held(p_dtype, *p)).collect();
                let mut out = vec![0; p.len() * self.dtype().size()];
                rng::trials(generator, p.into_iter(), p_dtype == DType::F64, self.dtype(), &mut out).expect("runs");
                Some(out)
            }
            "normal" => {
                let n = flat(&json["mean"]).len().max(flat(&json["std"]).len());
                let mut out = vec![0; n * self.dtype().size()];
                rng::fill(generator, &Dist::Normal { mean: 0.0, std: 1.0 }, self.dtype(), true, &mut out).expect("runs");
                None
            }
            "dropout" => {
                let (n, p) = (flat(&json["x"]).len(), json["p"].as_f64()?);
                if 0.0 < p && p < 1.0 {
                    rng::fill(generator, &Dist::Bernoulli { p: 1.0 - p }, DType::F32, true, &mut vec![0; 4 * n]).expect("runs");
                }
                None
            }
            _ => Some(self.filled(generator)),
        }
    }

    /// A fill of a tensor of any layout, read back row by row.
    fn filled(&self, generator: &mut Generator) -> Vec<u8> {
        let (mut layout, size) = (self.layout(), self.dtype().size());
        if self.0["op"].as_str().is_some_and(|op| op.ends_with("_like")) {
            layout = output_layout(&layout.sizes.clone(), &[&layout]);
        }
        let mut drawn = vec![0; layout.numel() as usize * size];
        rng::fill(generator, &self.dist(), self.dtype(), layout.is_contiguous(), &mut drawn).expect("runs");
        let mut cells = vec![0; layout.extent().map_or(0, |(_, high)| high as usize + 1) * size];
        rng::scatter(&layout, size, &drawn, &mut cells);
        let rows = contiguous_strides(&layout.sizes);
        let index = |n: i64| -> Vec<i64> { rows.iter().zip(&layout.sizes).map(|(s, size)| n / s % size).collect() };
        let cell = |n: i64| layout.address(&index(n)) as usize * size;
        (0..layout.numel()).flat_map(|n| cells[cell(n)..cell(n) + size].to_vec()).collect()
    }
}

/// The state after a step is the recorded one: words, counters and the cached second normal number.
fn check_state(generator: &Generator, expected: &Json, context: &str) {
    let state = generator.export();
    let word = |at: usize| u32::from_le_bytes(state[at..at + 4].try_into().expect("four bytes"));
    assert_eq!(
        (word(8) as u64, word(16) as u64),
        (expected["left"].as_u64().unwrap(), expected["next"].as_u64().unwrap()),
        "{context}"
    );
    let cached = (word(5040) != 0).then(|| state[5024..5032].iter().rev().map(|b| format!("{b:02x}")).collect::<String>());
    assert_eq!(cached.as_deref(), expected["cached"].as_str(), "{context}");
    assert_eq!(Some(sha(&state).as_str()), expected["sha256"].as_str(), "{context}");
    assert_eq!(Generator::import(&state).expect("its own state").export(), state, "{context}");
}

fn check_values(bytes: &[u8], step: &Json, context: &str) {
    let dtype = dtype_of(&step["result_dtype"]);
    if let Some(bits) = step["bits"].as_str() {
        assert_eq!(bytes, bytes_of(dtype, bits), "{context}");
        return;
    }
    let size = dtype.size();
    assert_eq!(bytes[..8 * size], bytes_of(dtype, step["head"].as_str().expect("a head")), "{context}");
    assert_eq!(bytes[bytes.len() - 20 * size..], bytes_of(dtype, step["tail"].as_str().expect("a tail")), "{context}");
    assert_eq!(Some(sha(bytes).as_str()), step["sha256"].as_str(), "{context}");
}

/// A seed as users may write it: -1 is the largest.
fn seed_of(json: &Json) -> u64 {
    let seed: i128 = json.as_str().expect("a seed").parse().expect("an integer");
    seed as u64
}

#[test]
fn numbers_and_states_are_as_recorded() {
    let (mut steps, mut valued) = (0, 0);
    for record in records(include_str!("../goldens/rng.jsonl")) {
        let mut generator = Generator::new(seed_of(&record["seed"]));
        let mut saved = HashMap::new();
        for step in record["steps"].as_array().expect("steps") {
            let context = format!("seed {} {step}", record["seed"]);
            let slot = step["args"][0].as_str().unwrap_or_default().to_string();
            match step["op"].as_str() {
                Some("manual_seed") => generator = Generator::new(seed_of(&step["args"][0])),
                Some("save") => drop(saved.insert(slot, generator.export())),
                Some("load") => generator = Generator::import(&saved[&slot]).expect("a saved state"),
                _ => {
                    if let Some(bytes) = Step(step).run(&mut generator) {
                        check_values(&bytes, step, &context);
                        valued += 1;
                    }
                }
            }
            check_state(&generator, &step["state"], &context);
            steps += 1;
        }
    }
    assert_eq!((steps, valued), (1717, 1692));
}

#[test]
fn the_first_words_of_seed_0() {
    let mut generator = Generator::new(0);
    let words: Vec<u32> = (0..6).map(|_| generator.word()).collect();
    assert_eq!(words, [0x8c7f0aac, 0x97c4aa2f, 0xb716a675, 0xd821ccc0, 0x9a4eb343, 0xdba252fb]);
}

#[test]
fn states_that_cannot_be_are_refused() {
    let good = Generator::new(1).export();
    let with = |at: usize, byte: u8| {
        let mut state = good.clone();
        state[at] = byte;
        Generator::import(&state).map(drop).map_err(|e| e.to_string())
    };
    assert_eq!(with(0, 7), Ok(()));
    for (at, byte) in [(8, 0), (9, 9), (12, 0), (17, 9)] {
        assert_eq!(with(at, byte), Err("Invalid mt19937 state".to_string()));
    }
    let short = Generator::import(&good[1..]).map(drop).map_err(|e| e.to_string());
    assert_eq!(
        short,
        Err("Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 5055".to_string())
    );
}

/// A step as a line of the language.
fn line_of(step: &Json) -> Option<String> {
    let text = |name: &str| step[name].to_string().replace("true", "True").replace("false", "False").replace("null", "None");
    let dtype = || format!("dtype=torch.{}", step["dtype"].as_str().unwrap_or_default());
    let tensor = |name: &str, dtype: &str| format!("torch.tensor({}, {dtype})", text(name));
    let blank = || match step["strides"].is_null() {
        true => format!("torch.empty({}, {})", text("shape"), dtype()),
        false => {
            let offset = step["offset"].as_i64().unwrap_or(0);
            let view = format!("as_strided({}, {}, {offset})", text("shape"), text("strides"));
            format!("torch.empty({}, {}).{view}", text("storage"), dtype())
        }
    };
    let arguments = || text("args").trim_matches(['[', ']']).to_string();
    Some(match step["op"].as_str()? {
        op @ ("rand" | "randn") => format!("torch.{op}({}, {})", text("shape"), dtype()),
        op @ ("rand_like" | "randn_like") => format!("torch.{op}({})", blank()),
        "randint" => format!("torch.randint({}, {}, {})", arguments(), text("shape"), dtype()),
        "randperm" => format!("torch.randperm({}, {})", text("n"), dtype()),
        "bernoulli" => format!("torch.bernoulli({})", tensor("p", &dtype())),
        "bernoulli_t_" => {
            let p = tensor("p", &format!("dtype=torch.{}", step["p_dtype"].as_str()?));
            format!("{}.bernoulli_({p})", blank())
        }
        "multinomial" => format!("torch.multinomial({}, {}, {})", tensor("weights", &dtype()), text("n"), text("replacement")),
        "normal" => {
            let side = |name: &str| if step[name].is_array() { tensor(name, &dtype()) } else { text(name) };
            format!("torch.normal({}, {})", side("mean"), side("std"))
        }
        "poisson" => format!("torch.poisson({})", tensor("rates", &dtype())),
        "dropout" => format!("torch.nn.functional.dropout({}, {})", tensor("x", &dtype()), text("p")),
        "manual_seed" => format!("torch.manual_seed({})", text("args").trim_matches(['[', ']', '"'])),
        "save" => "saved = torch.get_rng_state()".to_string(),
        "load" => "torch.set_rng_state(saved)".to_string(),
        op if step["args"].is_null() => format!("{}.{op}()", blank()),
        op => format!("{}.{op}({})", blank(), arguments()),
    })
}

/// The same through programs: a value as the bytes of its elements.
fn evaluated(interp: &mut Interp, line: &str) -> Vec<u8> {
    match interp.evaluate(&Source::new("step", line)) {
        Ok(Value::Tensor(tensor)) => exec::bytes(&tensor).expect("dense"),
        Ok(other) => panic!("{line} is a {}", other.type_name()),
        Err(raise) => panic!("{line}: {}", raise.0.diagnostic.headline()),
    }
}

/// A step without a value.
fn check_runs(interp: &mut Interp, line: &str) {
    interp
        .run(&Source::new("step", line), &Default::default())
        .unwrap_or_else(|raise| panic!("{line}: {}", raise.0.diagnostic.headline()));
}

#[test]
fn programs_draw_as_recorded() {
    let mut interp = Interp::new(Box::new(std::io::sink()), Box::new(std::io::sink()));
    interp.import_torch();
    let mut count = 0;
    for record in records(include_str!("../goldens/rng.jsonl")) {
        let steps = record["steps"].as_array().expect("steps");
        let seed = record["seed"].as_str().expect("a seed");
        check_runs(&mut interp, &format!("torch.manual_seed({seed})"));
        for step in steps {
            let line = line_of(step).expect("a name");
            match step["result_dtype"].is_null() {
                true => check_runs(&mut interp, &line),
                false => check_values(&evaluated(&mut interp, &line), step, &line),
            }
            let state = Generator::import(&evaluated(&mut interp, "torch.get_rng_state()")).expect("a state");
            check_state(&state, &step["state"], &line);
            count += 1;
        }
    }
    assert_eq!(count, 1717);
}
