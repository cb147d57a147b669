use std::io::Read;
fn main() {
    let mut args = std::env::args().skip(1);
    let mode = args.next().unwrap_or_default();
    let path = args.next().unwrap_or_default();
    let text = if path == "-" {
        let mut s = String::new();
        std::io::stdin().read_to_string(&mut s).unwrap();
        s
    } else {
        std::fs::read_to_string(&path).unwrap()
    };
    if mode == "echo" {
        for s in tsr::lang::transcript(&tsr::diag::Source::new("t", text)) {
            for (i, l) in s.text.lines().enumerate() {
                println!("{}{l}", if i == 0 { ">>> " } else { "... " });
            }
            print!("{}", s.output);
            if let Some(e) = s.error {
                println!("{}", e.headline());
            }
        }
    } else {
        let ok = tsr::lang::stack::with_large(|| {
            let mut i = tsr::lang::Interp::on_stdout();
            let r = i.run(&tsr::diag::Source::new(&path, &text), &Default::default());
            i.flush();
            if let Err(r) = r {
                let d = r.0.report();
                println!("{}", d.headline());
                for l in &d.labels {
                    println!("  at {:?} {}", d.source.as_ref().map(|s| &s.text[l.span.range()]), l.text);
                }
                for f in &d.frames {
                    println!("  from {} at {:?}", f.function, &f.source.text[f.span.range()]);
                }
                for n in &d.notes {
                    println!("  note {n}");
                }
                for n in &d.help {
                    println!("  help {n}");
                }
            }
        });
        ok.unwrap();
    }
}
