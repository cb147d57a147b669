//! Dates: `gmtime`, `localtime`, `strftime`.

mod zone;

use super::now;
use crate::lang::types::call::Call;
use crate::lang::types::{convert, float};
use crate::value::{Named, Outcome, Value};
use std::rc::Rc;

const FIELDS: &[&str] = &["tm_year", "tm_mon", "tm_mday", "tm_hour", "tm_min", "tm_sec", "tm_wday", "tm_yday", "tm_isdst"];
const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] =
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const DAY: i64 = 86_400;

/// A date and time, as its fields.
#[derive(Clone, Copy)]
struct Date {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    /// Monday is 0.
    weekday: i64,
    /// The first day of the year is 1.
    yearday: i64,
    /// Summer time: 1, 0, or -1 when not known.
    summer: i64,
}

impl Date {
    /// The date of seconds since 1970 in Greenwich.
    fn of(seconds: i64) -> Date {
        let (days, rest) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
        let (year, month, day) = civil(days);
        Date {
            year,
            month,
            day,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60,
            weekday: (days + 3).rem_euclid(7),
            yearday: days - days_before(year, 1, 1) + 1,
            summer: 0,
        }
    }

    fn local(seconds: i64) -> Date {
        let (offset, summer) = zone::offset(seconds);
        Date { summer: summer as i64, ..Date::of(seconds + offset) }
    }

    fn numbers(self) -> [i64; 9] {
        let Date { year, month, day, hour, minute, second, weekday, yearday, summer } = self;
        [year, month, day, hour, minute, second, weekday, yearday, summer]
    }

    fn from_value(value: &Value) -> Outcome<Date> {
        let items = match value {
            Value::Tuple(_) | Value::Named(_) => value.sequence().unwrap_or_default(),
            _ => fault!(TypeError, "Tuple or struct_time argument required"),
        };
        let numbers = items.iter().map(convert::to_i64).collect::<Outcome<Vec<_>>>()?;
        let [year, month, day, hour, minute, second, weekday, yearday, summer] = numbers[..] else {
            fault!(TypeError, "time tuple must have exactly 9 elements, not {}", numbers.len());
        };
        Ok(Date { year, month, day, hour, minute, second, weekday, yearday, summer })
    }

    /// Seconds since 1970 if this date is in Greenwich.
    fn seconds(self) -> i64 {
        days_before(self.year, self.month, self.day) * DAY + self.hour * 3600 + self.minute * 60 + self.second
    }
}

/// Year, month and day of a day counted from 1970. Years are counted from March, so that a leap day is the last.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let part = (5 * of_year + 2) / 153;
    let month = if part < 10 { part + 3 } else { part - 9 };
    (year + era * 400 + (month <= 2) as i64, month, of_year - (153 * part + 2) / 5 + 1)
}

/// The day of a date counted from 1970.
fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let year = year - (month <= 2) as i64;
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn seconds_argument(c: &Call<'_>) -> Outcome<i64> {
    let Some(value) = c.some(0) else { return Ok(now().as_secs() as i64) };
    let seconds = convert::to_float(value)?;
    if !seconds.is_finite() || seconds.abs() > 6e16 {
        fault!(OverflowError, "timestamp out of range for platform time_t");
    }
    Ok(float::as_whole(seconds.floor()).unwrap_or(0))
}

/// `gmtime(seconds)`, `localtime(seconds)`.
pub fn parts(c: &mut Call<'_>, local: bool) -> Outcome {
    let seconds = seconds_argument(c)?;
    let date = if local { Date::local(seconds) } else { Date::of(seconds) };
    let values = date.numbers().map(Value::Int).to_vec();
    Ok(Value::Named(Rc::new(Named { type_name: "time.struct_time", fields: FIELDS, values })))
}

/// The date of an argument, or now.
fn date_argument(c: &Call<'_>, place: usize) -> Outcome<Date> {
    c.get(place).map_or_else(|| Ok(Date::local(now().as_secs() as i64)), Date::from_value)
}

/// `mktime(date)`: seconds since 1970 of a local date.
pub fn seconds(c: &mut Call<'_>) -> Outcome {
    let date = Date::from_value(c.arg(0))?;
    let greenwich = date.seconds();
    let guess = greenwich - zone::offset(greenwich).0;
    Ok(Value::Float((greenwich - zone::offset(guess).0) as f64))
}

fn as_c(date: Date) -> Value {
    let [weekday, month] = [name(&DAYS, date.weekday), name(&MONTHS, date.month - 1)].map(|n| n.get(..3).unwrap_or(n));
    let Date { day, hour, minute, second, year, .. } = date;
    Value::from(format!("{weekday} {month} {day:>2} {hour:02}:{minute:02}:{second:02} {year}"))
}

/// `asctime(date)`.
pub fn as_text(c: &mut Call<'_>) -> Outcome {
    date_argument(c, 0).map(as_c)
}

/// `ctime(seconds)`.
pub fn as_text_of_seconds(c: &mut Call<'_>) -> Outcome {
    Ok(as_c(Date::local(seconds_argument(c)?)))
}

fn name<'n>(names: &[&'n str], place: i64) -> &'n str {
    usize::try_from(place).ok().and_then(|place| names.get(place).copied()).unwrap_or("?")
}

/// `strftime(format, date)`.
pub fn format(c: &mut Call<'_>) -> Outcome {
    let template = convert::to_str(c.arg(0), "strftime", "argument 1")?.clone();
    let date = date_argument(c, 1)?;
    let (mut out, mut chars) = (String::new(), template.chars());
    while let Some(x) = chars.next() {
        match x {
            '%' => match chars.next() {
                Some(code) => out.push_str(&field(date, code)),
                None => out.push('%'),
            },
            other => out.push(other),
        }
    }
    Ok(Value::from(out))
}

fn field(date: Date, code: char) -> String {
    let short = |text: &str| text.get(..3).unwrap_or(text).to_string();
    let Date { year, month, day, hour, minute, second, weekday, yearday, .. } = date;
    let twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
    match code {
        'Y' => year.to_string(),
        'y' => format!("{:02}", year.rem_euclid(100)),
        'm' => format!("{month:02}"),
        'd' => format!("{day:02}"),
        'e' => format!("{day:>2}"),
        'H' => format!("{hour:02}"),
        'I' => format!("{twelve:02}"),
        'M' => format!("{minute:02}"),
        'S' => format!("{second:02}"),
        'p' => if hour < 12 { "AM" } else { "PM" }.into(),
        'j' => format!("{yearday:03}"),
        'A' => name(&DAYS, weekday).into(),
        'a' => short(name(&DAYS, weekday)),
        'B' => name(&MONTHS, month - 1).into(),
        'b' | 'h' => short(name(&MONTHS, month - 1)),
        'w' => ((weekday + 1) % 7).to_string(),
        'u' => (weekday + 1).to_string(),
        'F' => format!("{year}-{month:02}-{day:02}"),
        'T' | 'X' => format!("{hour:02}:{minute:02}:{second:02}"),
        'R' => format!("{hour:02}:{minute:02}"),
        'D' | 'x' => format!("{month:02}/{day:02}/{:02}", year.rem_euclid(100)),
        'c' => format!("{} {} {day:>2} {} {year}", field(date, 'a'), field(date, 'b'), field(date, 'T')),
        's' => date.seconds().to_string(),
        'n' => "\n".into(),
        't' => "\t".into(),
        '%' => "%".into(),
        other => format!("%{other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from CPython's `time.gmtime`.
    #[test]
    fn dates_of_seconds() {
        assert_eq!(Date::of(0).numbers(), [1970, 1, 1, 0, 0, 0, 3, 1, 0]);
        assert_eq!(Date::of(951_782_400).numbers(), [2000, 2, 29, 0, 0, 0, 1, 60, 0]);
        assert_eq!(Date::of(1_700_000_000).numbers(), [2023, 11, 14, 22, 13, 20, 1, 318, 0]);
        assert_eq!(Date::of(-1).numbers(), [1969, 12, 31, 23, 59, 59, 2, 365, 0]);
        assert_eq!(Date::of(1_700_000_000).seconds(), 1_700_000_000);
    }
}
