//! Reading what the scripts answer; anything that they cannot have answered is [`StoreError::Corrupt`].

use ::redis::Value;
use bytes::Bytes;

use crate::store::StoreError;

/// The parts of one answer, taken from the front.
pub(super) struct Reply(std::vec::IntoIter<Value>);

impl Reply {
    /// The parts of an array; None for nil.
    pub(super) fn array(value: Value) -> Result<Option<Self>, StoreError> {
        match value {
            Value::Nil => Ok(None),
            Value::Array(parts) => Ok(Some(Self(parts.into_iter()))),
            other => Err(unreadable("an array", &other)),
        }
    }

    fn next(&mut self) -> Value {
        self.0.next().unwrap_or(Value::Nil)
    }

    /// The next part, which may be nil or not there.
    pub(super) fn optional(&mut self) -> Result<Option<Bytes>, StoreError> {
        match self.next() {
            Value::Nil => Ok(None),
            Value::BulkString(bytes) => Ok(Some(bytes.into())),
            Value::SimpleString(text) => Ok(Some(text.into())),
            other => Err(unreadable("bytes", &other)),
        }
    }

    /// The next part, which must be there.
    pub(super) fn bytes(&mut self) -> Result<Bytes, StoreError> {
        self.optional()?.ok_or_else(|| unreadable("bytes", &Value::Nil))
    }

    /// The next part, a decimal number; of a stream's id the part before the dash.
    pub(super) fn number(&mut self) -> Result<u64, StoreError> {
        self.optional_number()?.ok_or_else(|| unreadable("a number", &Value::Nil))
    }

    /// The next part, a decimal number where it is not nil.
    pub(super) fn optional_number(&mut self) -> Result<Option<u64>, StoreError> {
        let Some(bytes) = self.optional()? else { return Ok(None) };
        let text = std::str::from_utf8(&bytes).unwrap_or_default();
        let digits = text.split_once('-').map_or(text, |(digits, _)| digits);
        let number = digits.parse().map_err(|_| StoreError::Corrupt(format!("{text:?} where a number should be")));
        number.map(Some)
    }

    /// The next part, itself an array.
    pub(super) fn nested(&mut self) -> Result<Self, StoreError> {
        let part = self.next();
        Self::array(part)?.ok_or_else(|| unreadable("an array", &Value::Nil))
    }

    /// All parts that are left.
    pub(super) fn rest(mut self) -> Result<Vec<Bytes>, StoreError> {
        let mut parts = Vec::with_capacity(self.0.len());
        while !self.is_empty() {
            parts.push(self.bytes()?);
        }
        Ok(parts)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.len() == 0
    }
}

/// An answer that is one number.
pub(super) fn count(value: &Value) -> Result<usize, StoreError> {
    let count = if let Value::Int(count) = value { usize::try_from(*count).ok() } else { None };
    count.ok_or_else(|| unreadable("a number", value))
}

fn unreadable(wanted: &str, got: &Value) -> StoreError {
    let kind = match got {
        Value::Nil => "nothing",
        Value::Int(_) => "a number",
        Value::BulkString(_) | Value::SimpleString(_) | Value::Okay => "a string",
        Value::Array(_) => "an array",
        _ => "something else",
    };
    StoreError::Corrupt(format!("{kind} where {wanted} should be"))
}
