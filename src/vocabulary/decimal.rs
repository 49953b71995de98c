//! Numbers with two decimals, such as an initiative of 15.03.

use super::{Describe, FieldType, INLINE, Names, Redact, Values};
use serde::de::{self, Deserializer, Unexpected};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt::{self, Write};
use std::ops::{Add, Neg, Sub};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A number from `MIN` to `MAX`, both included, kept to two decimals. What is calculated stops at the
/// limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal<const MIN: i64, const MAX: i64>(i64);

/// An initiative, or a change of one, within what a double holds exactly to the hundredth.
pub type Total = Decimal<-1_000_000_000_000, 1_000_000_000_000>;

impl<const MIN: i64, const MAX: i64> Decimal<MIN, MAX> {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// The number that has so many hundredths, brought into range.
    fn of_hundredths(hundredths: i64) -> Self {
        Self(hundredths.clamp(MIN.saturating_mul(100), MAX.saturating_mul(100)))
    }

    /// Every number in range, for options.
    pub const fn any() -> Values {
        Values::Decimal(MIN, MAX)
    }

    /// Its hundredths.
    pub fn hundredths(self) -> i64 {
        self.0
    }

    /// The largest whole number that is not above it.
    pub fn floor(self) -> i64 {
        self.0.div_euclid(100)
    }

    /// The number without its sign.
    #[must_use]
    pub fn abs(self) -> Self {
        Self(self.0.abs())
    }

    /// The number as a total.
    pub fn total(self) -> Total {
        Total::of_hundredths(self.0)
    }
}

/// A whole number, brought into range.
impl<const MIN: i64, const MAX: i64> From<i64> for Decimal<MIN, MAX> {
    fn from(whole: i64) -> Self {
        Self::of_hundredths(whole.saturating_mul(100))
    }
}

impl<const MIN: i64, const MAX: i64> Add for Decimal<MIN, MAX> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::of_hundredths(self.0.saturating_add(other.0))
    }
}

impl<const MIN: i64, const MAX: i64> Sub for Decimal<MIN, MAX> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::of_hundredths(self.0.saturating_sub(other.0))
    }
}

impl<const MIN: i64, const MAX: i64> Neg for Decimal<MIN, MAX> {
    type Output = Self;

    fn neg(self) -> Self {
        Self::of_hundredths(self.0.saturating_neg())
    }
}

impl<const MIN: i64, const MAX: i64> fmt::Display for Decimal<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let [whole, rest] = [self.0.unsigned_abs() / 100, self.0.unsigned_abs() % 100];
        match (rest, rest % 10) {
            (0, _) => write!(f, "{sign}{whole}"),
            (_, 0) => write!(f, "{sign}{whole}.{}", rest / 10),
            _ => write!(f, "{sign}{whole}.{rest:02}"),
        }
    }
}

impl<const MIN: i64, const MAX: i64> Serialize for Decimal<MIN, MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % 100 == 0 {
            return serializer.serialize_i64(self.0 / 100);
        }
        // A double holds all that is in range, so that its shortest form has two decimals.
        #[expect(clippy::cast_precision_loss, reason = "as the comment says")]
        serializer.serialize_f64(self.0 as f64 / 100.0)
    }
}

impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for Decimal<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits<const MIN: i64, const MAX: i64>;
        impl<const MIN: i64, const MAX: i64> de::Visitor<'_> for Digits<MIN, MAX> {
            type Value = Decimal<MIN, MAX>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a number from {MIN} to {MAX}")
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<Self::Value, E> {
                if !(MIN..=MAX).contains(&v) {
                    return Err(E::invalid_value(Unexpected::Signed(v), &self));
                }
                Ok(Decimal::from(v))
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<Self::Value, E> {
                match i64::try_from(v) {
                    Ok(v) => self.visit_i64(v),
                    Err(_) => Err(E::invalid_value(Unexpected::Unsigned(v), &self)),
                }
            }
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                reason = "a double holds the limits, and the number is within them"
            )]
            fn visit_f64<E: de::Error>(self, v: f64) -> Result<Self::Value, E> {
                if !(MIN as f64..=MAX as f64).contains(&v) {
                    return Err(E::invalid_value(Unexpected::Float(v), &self));
                }
                Ok(Decimal::of_hundredths((v * 100.0).round() as i64))
            }
        }
        deserializer.deserialize_any(Digits)
    }
}

impl<const MIN: i64, const MAX: i64> PartialSchema for Decimal<MIN, MAX> {
    fn schema() -> RefOr<Schema> {
        let number = ObjectBuilder::new().schema_type(Type::Number);
        number.minimum(Some(MIN)).maximum(Some(MAX)).into()
    }
}

impl<const MIN: i64, const MAX: i64> ToSchema for Decimal<MIN, MAX> {
    fn name() -> Cow<'static, str> {
        format!("{INLINE}decimal.{MIN}.{MAX}").into()
    }
}

impl<const MIN: i64, const MAX: i64> Describe for Decimal<MIN, MAX> {
    fn describe(&self, _: &dyn Names, out: &mut String) -> bool {
        write!(out, "{self}").is_ok()
    }

    fn is_plural(&self, _: &dyn Names) -> bool {
        self.0 != 100
    }
}

impl<const MIN: i64, const MAX: i64> Redact for Decimal<MIN, MAX> {}

impl<const MIN: i64, const MAX: i64> FieldType for Decimal<MIN, MAX> {
    fn values() -> Option<Values> {
        Some(Self::any())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_kept_to_two_decimals() {
        for (json, said) in [
            ("15.03", "15.03"),
            ("15.5", "15.5"),
            ("-0.25", "-0.25"),
            ("0.004", "0"),
            ("-3", "-3"),
            ("12.0", "12"),
            ("999999999999.99", "999999999999.99"),
            ("1e2", "100"),
        ] {
            let total: Total = serde_json::from_str(json).expect("a number");
            assert_eq!(total.to_string(), said, "{json}");
            let written = serde_json::to_string(&total).expect("JSON");
            assert_eq!(written, said, "{json}");
        }
        for json in [
            "1000.01",
            "-1001",
            "1e300",
            "18446744073709551615",
            "\"15\"",
        ] {
            let refused = serde_json::from_str::<Decimal<-1000, 1000>>(json);
            assert!(refused.is_err(), "{json}");
        }
    }

    #[test]
    fn sums_stop_at_the_limits() {
        let most = Decimal::<-1000, 1000>::from(1000);
        assert_eq!(most + most, most);
        assert_eq!(-most - most, -most);
        assert_eq!(
            Total::from(i64::MAX) + Total::from(i64::MAX),
            Total::from(i64::MAX)
        );
        assert_eq!(Total::from(-3).floor(), -3);
        assert_eq!(Total::of_hundredths(-25).floor(), -1);
    }
}
