//! The pictures of memory: what they look like, and that they tell the truth.

use proptest::prelude::*;
use tsr::device::DeviceId;
use tsr::dtype::DType;
use tsr::layout::Layout;
use tsr::show::picture::{
    Bytes, Deed, Effect, Named, Operand, Place, Reading, Step, Variable, broadcast, layout, trace, verdict, who,
};
use tsr::show::{Doc, Render};
use tsr::tensor::{Storage, Tensor};

fn floats(values: &[f32]) -> Storage {
    let storage = Storage::new(DeviceId::Cpu, values.len() * 4, false).expect("memory");
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    storage.write(|to| to.copy_from_slice(&bytes)).expect("host memory");
    storage
}

fn view(storage: &Storage, sizes: &[i64], strides: &[i64], offset: i64) -> Tensor {
    Tensor::new(storage.clone(), DType::F32, Layout::new(sizes, strides, offset)).expect("fits")
}

fn named(name: &str, tensor: &Tensor) -> Named {
    Named { name: name.into(), tensor: tensor.clone() }
}

/// Two pictures of the lecture the project grew from, and what they became.
fn points() -> [Named; 3] {
    let storage = floats(&[4., 1., 5., 3., 2., 1.]);
    [
        named("points", &view(&storage, &[3, 2], &[2, 1], 0)),
        named("points_t", &view(&storage, &[2, 3], &[1, 2], 0)),
        named("second", &view(&storage, &[2], &[1], 2)),
    ]
}

/// `#7` and the like count storages over all tests of a thread; the pictures here write `#n`.
fn unnumbered(doc: &Doc) -> String {
    let mut out = String::new();
    let mut rest = doc.text();
    while let Some((before, after)) = rest.split_once('#') {
        let number = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        out.push_str(before);
        out.push_str(if number > 0 { "#n" } else { "#" });
        rest = &after[number..];
    }
    out + rest
}

#[test]
fn several_names_over_one_storage() {
    let picture = layout(&points(), None, None, 80).expect("strided");
    let expected = r"
 storage #n · float32, 6 cells, 24 bytes
 name      size    stride  offset  cells  contiguous
 points    (3, 2)  (2, 1)       0  all    yes
 points_t  (2, 3)  (1, 2)       0  all    no
 second    (2,)    (1,)         2  2/6    yes

 cell        0     1     2     3     4     5
          ┌─────┬─────┬─────┬─────┬─────┬─────┐
 value    │  4. │  1. │  5. │  3. │  2. │  1. │
          └─────┴─────┴─────┴─────┴─────┴─────┘
 points     0,0   0,1   1,0   1,1   2,0   2,1
 points_t   0,0   1,0   0,1   1,1   0,2   1,2
 second      ·     ·     0     1     ·     ·
";
    assert_eq!(unnumbered(&picture), expected[1..]);
}

#[test]
fn repeats_windows_and_no_dimensions() {
    let storage = floats(&[1., 2., 3., 4.]);
    let tensors = [
        named("rows", &view(&storage, &[3, 3], &[0, 1], 1)),
        named("columns", &view(&storage, &[2, 4], &[1, 0], 1)),
        named("windows", &view(&storage, &[3, 2], &[1, 1], 0)),
        named("last", &view(&storage, &[], &[], 3)),
        named("none", &view(&storage, &[0, 2], &[2, 1], 0)),
    ];
    let expected = r"
 storage #n · float32, 4 cells, 16 bytes
 name     size    stride  offset  cells  contiguous
 rows     (3, 3)  (0, 1)       1  3/4    no          expanded
 columns  (2, 4)  (1, 0)       1  2/4    no          expanded
 windows  (3, 2)  (1, 1)       0  all    no          overlapping
 last     ()      ()           3  1/4    yes
 none     (0, 2)  (2, 1)       0  0/4    yes

 cell       0      1       2       3
         ┌─────┬───────┬───────┬───────┐
 value   │  1. │   2.  │   3.  │   4.  │
         └─────┴───────┴───────┴───────┘
 rows       ·    0,0+2   0,1+2   0,2+2
 columns    ·    0,0+3   1,0+3     ·
 windows   0,0   0,1+1   1,1+1    2,1
 last       ·      ·       ·      ()
 none       ·      ·       ·       ·
 0,0+2: the cell is reached by index 0,0 and by 2 more
";
    assert_eq!(unnumbered(&layout(&tensors, None, None, 80).expect("strided")), expected[1..]);
}

#[test]
fn a_narrow_terminal_breaks_the_cells_into_lines() {
    let storage = floats(&(0..12).map(|i| i as f32).collect::<Vec<_>>());
    let picture = layout(&[named("x", &view(&storage, &[3, 2], &[4, 1], 2))], None, Some(false), 44).expect("strided");
    let expected = r"
 storage #n · float32, 12 cells, 48 bytes
 name  size    stride  offset  cells
 x     (3, 2)  (4, 1)       2  6/12

 cell    0    1     2     3    4    5
       ┌────┬────┬─────┬─────┬────┬────┐
 value │ 0. │ 1. │  2. │  3. │ 4. │ 5. │
       └────┴────┴─────┴─────┴────┴────┘
 x       ·    ·    0,0   0,1   ·    ·
 cell     6     7    8    9    10    11
       ┌─────┬─────┬────┬────┬─────┬─────┐
 value │  6. │  7. │ 8. │ 9. │ 10. │ 11. │
       └─────┴─────┴────┴────┴─────┴─────┘
 x       1,0   1,1   ·    ·    2,0   2,1
";
    assert_eq!(unnumbered(&picture), expected[1..]);
}

#[test]
fn a_large_storage_is_elided() {
    let storage = floats(&(0..10_000).map(|i| i as f32).collect::<Vec<_>>());
    let tensors = [
        named("x", &view(&storage, &[100, 100], &[100, 1], 0)),
        named("x.t()", &view(&storage, &[100, 100], &[1, 100], 0)),
        named("x[1:, ::2]", &view(&storage, &[99, 50], &[100, 2], 100)),
    ];
    let expected = r"
 storage #n · float32, 10,000 cells, 40,000 bytes
 name        size        stride    offset  cells
 x           (100, 100)  (100, 1)       0  all
 x.t()       (100, 100)  (1, 100)       0  all
 x[1:, ::2]  (99, 50)    (100, 2)     100  4,950/10,000

 cell          0     1     2    ..   100    101    102
            ┌─────┬─────┬─────┬────┬──────┬──────┬──────┐
 value      │  0. │  1. │  2. │ .. │ 100. │ 101. │ 102. │
            └─────┴─────┴─────┴────┴──────┴──────┴──────┘
 x            0,0   0,1   0,2        1,0    1,1    1,2
 x.t()        0,0   1,0   2,0        0,1    1,1    2,1
 x[1:, ::2]    ·     ·     ·         0,0     ·     0,1
 cell         103    ..   200    201    ..   9998    9999
            ┌──────┬────┬──────┬──────┬────┬───────┬───────┐
 value      │ 103. │ .. │ 200. │ 201. │ .. │ 9998. │ 9999. │
            └──────┴────┴──────┴──────┴────┴───────┴───────┘
 x            1,3         2,0    2,1         99,98   99,99
 x.t()        3,1         0,2    1,2         98,99   99,99
 x[1:, ::2]    ·          1,0     ·          98,49     ·
";
    assert_eq!(unnumbered(&layout(&tensors, None, None, 60).expect("strided")), expected[1..]);
    let window = layout(&tensors, Some(9_997..20_000), None, 60).expect("strided");
    assert!(window.text().contains(" cell         9997    9998    9999\n"), "{window}");
}

#[test]
fn who_shares_what() {
    let [points, points_t, second] = points();
    let other = floats(&[0.; 4]);
    let wide = named("wide", &view(&other, &[4, 1000], &[1, 0], 0));
    let mut variables: Vec<Variable> = [points, points_t, second, wide].into_iter().map(Variable::Tensor).collect();
    variables.push(Variable::Other { name: "n".into(), kind: "int".into(), text: "7".into() });
    let expected = r"
 name      dtype    size       stride  offset  on  cells  contiguous
 points    float32  (3, 2)     (2, 1)       0  #n  all    yes
 points_t  float32  (2, 3)     (1, 2)       0  #n  all    no
 second    float32  (2,)       (1,)         2  #n  2/6    yes
 wide      float32  (4, 1000)  (1, 0)       0  #n  all    no          expanded

 storage  bytes  device  shared by
 #n          24  cpu     points, points_t, second
 #n          16  cpu     wide
 2 storages, 40 bytes

 name  type  value
 n     int   7
";
    assert_eq!(unnumbered(&who(&variables, 80).expect("strided")), expected[1..]);
    assert_eq!(who(&[], 80).expect("nothing").text(), " no variables yet\n");
}

#[test]
fn the_steps_of_a_statement() {
    let [points, points_t, _] = points();
    let copy = view(&floats(&[0.; 6]), &[2, 3], &[3, 1], 0);
    let place = |t: &Tensor| Place { on: Some(t.storage().expect("strided").label()), layout: t.layout() };
    let step = |text: &str, deed, tensor: Option<&Tensor>, copied| Step {
        text: text.into(),
        deed,
        place: tensor.map(place),
        new: copied,
        copied,
        written: 0,
    };
    let steps = [
        step("points", Deed::Same, Some(&points.tensor), 0),
        step(".t()", Deed::View, Some(&points_t.tensor), 0),
        step(".contiguous()", Deed::Copy, Some(&copy), 24),
        step(".tolist()", Deed::Value, None, 0),
    ];
    let expected = r"
    step           what   where  size    stride  offset  contiguous  new  copied
 1  points         same   #n     (3, 2)  (2, 1)       0  yes
 2  .t()           view   #n     (2, 3)  (1, 2)       0  no
 3  .contiguous()  COPY   #n     (2, 3)  (3, 1)       0  yes          24      24
 4  .tolist()      value
 4 steps, 24 bytes new, 24 bytes copied
";
    assert_eq!(unnumbered(&trace(&steps, 4, Bytes { new: 24, copied: 24, ..Bytes::default() }, 80)), expected[1..]);
}

#[test]
fn why_a_view_is_not_possible() {
    let storage = floats(&[0., 1., 2., 3., 4., 5.]);
    let base = named("x.t()", &view(&storage, &[3, 2], &[1, 3], 0));
    let reading = Reading { base: &base, text: "x.t().view(-1)", sizes: &[6], may_copy: false };
    let expected = r"
 x.t().view(-1) is not possible as a view

 name    size    stride  offset  on
 x.t()   (3, 2)  (1, 3)       0  #n
 wanted  (6,)    ?            0  #n

 element  index  becomes  cell  step
       0  0,0    0           0
       1  0,1    1           3    +3
       2  1,0    2           1    -2  ← needs cell 6
       3  1,1    3           4    +3
       4  2,0    4           2    -2
       5  2,1    5           5    +3

 rule: dims 0 and 1 are one even walk only when
 stride[0] == size[1] * stride[1]; here 1 == 2 * 3 is false

 way on                      copies    storage   elements
 x.t().reshape(6)            24 bytes  new       0. 3. 1. 4. 2. 5.
 x.t().contiguous().view(6)  24 bytes  new       0. 3. 1. 4. 2. 5.
 x.view(6)                   nothing   the same  0. 1. 2. 3. 4. 5.
";
    assert_eq!(unnumbered(&verdict(&reading, 80).expect("strided")), expected[1..]);
}

#[test]
fn why_a_view_is_possible_without_contiguous_cells() {
    let storage = floats(&[0.; 12]);
    let base = named("y", &view(&storage, &[3, 2], &[4, 1], 0));
    let reading = Reading { base: &base, text: "y.view(3, 2, 1)", sizes: &[3, 2, 1], may_copy: false };
    let expected = r"
 y.view(3, 2, 1) is a view, although the tensor is not contiguous

 name    size       stride     offset  on
 y       (3, 2)     (4, 1)          0  #n
 result  (3, 2, 1)  (4, 1, 1)       0  #n
 a view needs no contiguous cells; dims that become one must be one even walk
";
    assert_eq!(unnumbered(&verdict(&reading, 80).expect("strided")), expected[1..]);
}

#[test]
fn how_operands_are_lined_up() {
    let storage = floats(&[0.; 20]);
    let (a, b) = (view(&storage, &[4, 1], &[1, 1], 0), view(&storage, &[5], &[1], 0));
    let operands = [Operand::tensor("A", &a), Operand::tensor("B", &b)];
    let effect = Effect::Gives(vec![view(&storage, &[4, 5], &[5, 1], 0)]);
    let expected = r"
 A + B gives float32 (4, 5)

         dim 0  dim 1  stride  stride used
 A       4      1 → 5  (1, 1)  (1, 0)
 B       - → 4  5      (1,)    (0, 1)
 result  4      5      (5, 1)  new

 A as (4, 5)            B as (4, 5)
 0.  0.  0.  0.  0.     0.  0.  0.  0.  0.
 0.  0.  0.  0.  0.     0.  0.  0.  0.  0.
 0.  0.  0.  0.  0.     0.  0.  0.  0.  0.
 0.  0.  0.  0.  0.     0.  0.  0.  0.  0.

 result[i, j] takes A[i, 0] and B[j]
 each element of A is read 5 times
 each element of B is read 4 times
 a stride of 0 stays on its cell: nothing is copied to line the operands up
";
    assert_eq!(broadcast("A + B", &operands, &effect, 80).text(), &expected[1..]);
    let operands = [Operand::tensor("A", &view(&storage, &[4, 2], &[2, 1], 0)), Operand::tensor("B", &b)];
    let picture = broadcast("A + B", &operands, &Effect::Unknown, 80);
    assert!(picture.text().starts_with(" A + B cannot be lined up\n"), "{picture}");
    assert!(picture.text().contains(" dim 1: 2 and 5 differ and neither is 1\n"), "{picture}");
}

#[test]
fn a_billion_elements_take_no_time() {
    let storage = floats(&[1., 2., 3.]);
    let expanded = named("x", &view(&storage, &[1_000_000_000, 3], &[0, 1], 0));
    let large = Tensor::new(
        Storage::new(DeviceId::Meta, 4_000_000_000, false).expect("no memory needed"),
        DType::F32,
        Layout::contiguous(&[1000, 1000, 1000]),
    )
    .expect("fits");
    let start = std::time::Instant::now();
    let picture = layout(&[expanded, named("y", &large)], None, None, 80).expect("strided");
    // It takes some 10 ms; whoever walks over the elements takes minutes, however busy the machine is.
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    assert!(picture.text().contains(" x           0,0+999999999   0,1+999999999   0,2+999999999\n"), "{picture}");
    assert!(picture.text().contains("999999999"), "{picture}");
}

/// Any small layout that fits its storage: sizes, strides, offset.
fn layouts() -> impl Strategy<Value = Layout> {
    (prop::collection::vec((0..5i64, 0..7i64), 0..4), 0..5i64).prop_map(|(dims, offset)| {
        let (sizes, strides): (Vec<_>, Vec<_>) = dims.into_iter().unzip();
        Layout::new(&sizes, &strides, offset)
    })
}

/// What the picture's row for the only tensor says, cell by cell: the words below the numbers of the cells.
fn pictured(text: &str, name: &str) -> Vec<(i64, String)> {
    let words = |line: &str| line.split_whitespace().skip(1).map(String::from).collect::<Vec<_>>();
    let drawing = text.split_once("\n\n").map_or("", |(_, drawing)| drawing);
    let rows =
        |label: &str| drawing.lines().filter(|l| l.split_whitespace().next() == Some(label)).flat_map(words).collect::<Vec<_>>();
    rows("cell").iter().map(|n| n.parse().expect("a number")).zip(rows(name)).collect()
}

/// A layout and sizes with as many elements.
fn readings() -> impl Strategy<Value = (Layout, Vec<i64>)> {
    const SHAPES: &[&[i64]] =
        &[&[24], &[2, 12], &[12, 2], &[4, 6], &[6, 4], &[2, 3, 4], &[4, 3, 2], &[1, 24], &[2, 2, 6], &[8, 3]];
    let shape = || prop::sample::select(SHAPES);
    (shape(), shape(), prop::collection::vec(1..8i64, 3), 0..3i64)
        .prop_map(|(sizes, wanted, strides, offset)| (Layout::new(sizes, &strides[..sizes.len()], offset), wanted.to_vec()))
}

proptest! {
    /// The verdict says what the cells say: a view is possible when one stride per new dimension finds every element.
    #[test]
    fn verdicts_agree_with_the_cells((layout_of, sizes) in readings()) {
        let cells: Vec<i64> = layout_of.cells().collect();
        let wanted = Layout::contiguous(&sizes);
        let step = |dim: usize| {
            let mut index = vec![0; sizes.len()];
            index[dim] = 1;
            if sizes[dim] == 1 { 0 } else { cells[wanted.address(&index) as usize] - cells[0] }
        };
        let strides: Vec<i64> = (0..sizes.len()).map(step).collect();
        let possible = Layout::new(&sizes, &strides, cells[0]).cells().eq(cells.iter().copied());
        let storage = floats(&vec![0.; 400]);
        let base = named("x", &view(&storage, &layout_of.sizes, &layout_of.strides, layout_of.offset));
        let picture = verdict(&Reading { base: &base, text: "x.view()", sizes: &sizes, may_copy: false }, 80).expect("strided");
        let said = picture.text().starts_with(" x.view() is a view");
        // PyTorch looks at strides, not at cells: it refuses some layouts that would do by accident, and never the other way.
        prop_assert!(possible || !said, "{:?} as {:?}", layout_of, sizes);
        prop_assert_eq!(said, layout_of.try_view(&sizes).is_some());
        prop_assert!(picture.text().lines().all(|line| line.chars().count() <= 80), "{}", picture);
    }

    #[test]
    fn every_index_in_a_picture_reaches_its_cell(layout_of in layouts()) {
        let cells = 1 + layout_of.extent().map_or(0, |(_, high)| high);
        prop_assume!(cells <= 32);
        let storage = floats(&vec![0.; cells as usize]);
        let tensor = view(&storage, &layout_of.sizes, &layout_of.strides, layout_of.offset);
        let picture = layout(&[named("x", &tensor)], None, Some(false), 60).expect("strided");
        let shown = pictured(picture.text(), "x");
        prop_assert_eq!(shown.len() as i64, cells);
        for (cell, word) in shown {
            let visits: Vec<_> = (0..layout_of.numel()).filter(|n| layout_of.nth_cell(*n) == cell).collect();
            let expected = visits.first().map_or("·".to_string(), |n| {
                let index = layout_of.nth_index(*n);
                let text = if index.is_empty() { "()".into() } else { index.iter().map(i64::to_string).collect::<Vec<_>>().join(",") };
                if visits.len() > 1 { format!("{text}+{}", visits.len() - 1) } else { text }
            });
            prop_assert_eq!(word, expected, "cell {} of {:?}", cell, layout_of);
        }
    }

    #[test]
    fn pictures_keep_to_their_columns_and_to_seven_bits(layouts in prop::collection::vec(layouts(), 1..4), width in 60..100usize) {
        let storage = floats(&(0..400).map(|i| i as f32 / 3.).collect::<Vec<_>>());
        let tensors: Vec<Named> = layouts.iter().map(|l| named("x[0]", &view(&storage, &l.sizes, &l.strides, l.offset))).collect();
        for doc in [layout(&tensors, None, None, width).expect("strided"), who(&tensors.into_iter().map(Variable::Tensor).collect::<Vec<_>>(), width).expect("strided")] {
            let ascii = doc.render(Render { ascii: true, ..Render::default() });
            prop_assert!(ascii.is_ascii());
            prop_assert!(!ascii.contains('?') || doc.text().contains('?'));
            for (plain, seven) in doc.text().lines().zip(ascii.lines()) {
                prop_assert_eq!(plain.chars().count(), seven.len());
                prop_assert!(seven.len() <= width, "{} > {}: {}", seven.len(), width, seven);
            }
        }
    }
}
