//! Tensors as Rust values, for operations that are written by hand: sorting, linear algebra, printing, files.

use super::convert::{cast, contiguous};
use super::make::empty;
use crate::device::{self, DeviceId};
use crate::dtype::{DType, Number};
use crate::kernel::element::Element;
use crate::ops::sparse;
use crate::tensor::Tensor;
use anyhow::Result;

/// The elements in order of their indices, cast to `T`'s dtype. Fails with a `NotImplementedError` on meta.
pub fn read_vec<T: Element>(tensor: &Tensor) -> Result<Vec<T>> {
    let ready = contiguous(&cast(tensor, T::DTYPE)?)?;
    let count = ready.numel() as usize;
    let mut values: Vec<T> = Vec::with_capacity(count);
    let room = &mut values.spare_capacity_mut()[..count];
    // SAFETY: `room` is `count` elements long; any bytes are a valid `T`, and `download` fills them all or fails.
    unsafe {
        let room = std::slice::from_raw_parts_mut(room.as_mut_ptr() as *mut u8, count * size_of::<T>());
        download(&ready, room)?;
        values.set_len(count);
    }
    Ok(values)
}

/// Lets `f` look at the elements in order of their indices, cast to `T`'s dtype. What lies so already is not copied. Fails with a
/// `NotImplementedError` on meta.
pub fn read<T: Element, R>(tensor: &Tensor, f: impl FnOnce(&[T]) -> R) -> Result<R> {
    let ready = contiguous(&cast(tensor, T::DTYPE)?)?;
    if ready.device() != DeviceId::Cpu || ready.numel() == 0 {
        return Ok(f(&read_vec::<T>(&ready)?));
    }
    let form = ready.strided()?;
    let (first, count) = (form.layout.offset as usize * size_of::<T>(), ready.numel() as usize);
    form.storage.read(|bytes| {
        // SAFETY: the layout was checked against its storage, whose start is aligned for every element; any bytes are a valid `T`.
        f(unsafe { std::slice::from_raw_parts(bytes[first..].as_ptr() as *const T, count) })
    })
}

/// Lets `f` write the elements of a contiguous CPU tensor of `T`'s dtype that nobody else has.
pub fn change<T: Element, R>(own: &Tensor, f: impl FnOnce(&mut [T]) -> R) -> Result<R> {
    debug_assert!(own.layout().is_plain() && own.dtype() == T::DTYPE);
    let count = own.numel() as usize;
    if count == 0 {
        return Ok(f(&mut []));
    }
    own.strided()?.storage.write(|bytes| {
        // SAFETY: as in `read`; the layout begins where the storage does.
        f(unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr() as *mut T, count) })
    })
}

/// A new contiguous CPU tensor of `T`'s dtype whose elements `f` writes, all of them.
pub fn made<T: Element>(sizes: &[i64], f: impl FnOnce(&mut [T])) -> Result<Tensor> {
    let tensor = empty(sizes, T::DTYPE, DeviceId::Cpu)?;
    change(&tensor, f)?;
    Ok(tensor)
}

/// A new contiguous CPU tensor of `T`'s dtype with these elements. The product of `sizes` must be their number.
pub fn from_vec<T: Element>(values: &[T], sizes: &[i64]) -> Result<Tensor> {
    from_parts([values].into_iter(), sizes)
}

/// As [`from_vec`], with the elements of all parts, one after the other.
pub fn from_parts<'a, T: Element>(parts: impl Iterator<Item = &'a [T]>, sizes: &[i64]) -> Result<Tensor> {
    // SAFETY: elements are plain numbers without padding, so their memory can be read as bytes.
    let bytes = |values: &[T]| unsafe { std::slice::from_raw_parts(values.as_ptr() as *const u8, size_of_val(values)) };
    from_bytes_of(parts.map(bytes), sizes, T::DTYPE)
}

/// The elements in order of their indices, as their bytes. For operations that move elements without looking at them.
pub fn bytes(tensor: &Tensor) -> Result<Vec<u8>> {
    let ready = contiguous(tensor)?;
    let mut bytes = vec![0; ready.numel() as usize * ready.dtype().size()];
    download(&ready, &mut bytes)?;
    Ok(bytes)
}

/// A new contiguous CPU tensor with these bytes. Fails with a `RuntimeError` when they are not as many as the sizes ask for.
pub fn from_bytes(bytes: &[u8], sizes: &[i64], dtype: DType) -> Result<Tensor> {
    from_bytes_of([bytes].into_iter(), sizes, dtype)
}

fn from_bytes_of<'a>(parts: impl Iterator<Item = &'a [u8]>, sizes: &[i64], dtype: DType) -> Result<Tensor> {
    let tensor = empty(sizes, dtype, DeviceId::Cpu)?;
    let storage = tensor.storage()?;
    let (room, mut done) = (storage.nbytes(), 0);
    for bytes in parts {
        if room - done < bytes.len() {
            fault!(
                RuntimeError,
                "sizes {sizes:?} of {} ask for {room} bytes, not for {} or more",
                dtype.name(),
                done + bytes.len()
            );
        }
        // SAFETY: the storage has that many bytes left.
        unsafe { device::get(DeviceId::Cpu)?.upload(storage.as_ptr().wrapping_add(done), bytes)? };
        done += bytes.len();
    }
    if done < room {
        fault!(RuntimeError, "sizes {sizes:?} of {} ask for {room} bytes, not {done}", dtype.name());
    }
    Ok(tensor)
}

fn download(contiguous: &Tensor, to: &mut [u8]) -> Result<()> {
    let form = contiguous.strided()?;
    let from = form.first(contiguous.dtype().size());
    // SAFETY: a contiguous layout that was checked against its storage: all its bytes follow its first element.
    unsafe { device::get(contiguous.device())?.download(from, to) }
}

/// The only element of a tensor. Fails with a `RuntimeError` when it has another number of elements.
pub fn item(tensor: &Tensor) -> Result<Number> {
    if tensor.numel() != 1 {
        fault!(RuntimeError, "a Tensor with {} elements cannot be converted to Scalar", tensor.numel());
    }
    if tensor.is_sparse() {
        return item(&sparse::dense(tensor)?);
    }
    let form = tensor.strided()?;
    let (dtype, mut bytes) = (tensor.dtype(), [0u8; 16]);
    let from = form.first(dtype.size());
    // SAFETY: the layout was checked against its storage, and its only element is the one at its offset.
    unsafe { device::get(tensor.device())?.download(from, &mut bytes[..dtype.size()])? };
    Ok(match Number::read(dtype, &bytes) {
        Number::Complex(c) => {
            let c = if form.conj { c.conj() } else { c };
            Number::Complex(if form.neg { -c } else { c })
        }
        Number::Float(f) if form.neg => Number::Float(-f),
        other => other,
    })
}
