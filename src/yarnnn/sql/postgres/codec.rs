//! Conversion of values to and from PostgreSQL's types.
//!
//! The server reports the type of each parameter of a statement; a value that does not fit is
//! refused before it is sent. Text is accepted for every type that is not a number, bytes or a
//! boolean (`jsonb`, `uuid`, `vector`, `timestamptz`): the server parses it as in SQL.

use ::postgres::types::private::BytesMut;
use ::postgres::types::{Format, FromSql, IsNull, ToSql, Type};

use crate::sql::error::{Kind, Result};
use crate::sql::value::Value;

type Wrong = Box<dyn std::error::Error + Sync + Send>;

/// A parameter for the server.
#[derive(Debug)]
pub(super) struct Bound<'a>(pub(super) &'a Value);

/// Refuses values that do not fit their parameters.
pub(super) fn fits(values: &[Value], types: &[Type]) -> Result<()> {
    for (index, (value, kind)) in values.iter().zip(types).enumerate() {
        let fits = match value {
            Value::Null => true,
            Value::Int(number) => match *kind {
                Type::INT8 | Type::NUMERIC | Type::FLOAT8 | Type::FLOAT4 => true,
                Type::INT4 => i32::try_from(*number).is_ok(),
                Type::INT2 => i16::try_from(*number).is_ok(),
                _ => false,
            },
            Value::Real(_) => matches!(*kind, Type::FLOAT8 | Type::FLOAT4 | Type::NUMERIC),
            Value::Bool(_) => matches!(*kind, Type::BOOL | Type::INT8 | Type::INT4 | Type::INT2),
            Value::Blob(_) => *kind == Type::BYTEA,
            Value::Text(_) => !matches!(
                *kind,
                Type::BOOL
                    | Type::BYTEA
                    | Type::INT2
                    | Type::INT4
                    | Type::INT8
                    | Type::FLOAT4
                    | Type::FLOAT8
                    | Type::NUMERIC
            ),
        };
        if !fits {
            return Err(Kind::Broken.because(format!(
                "Value ${} is {}, which does not fit its parameter ({}).",
                index + 1,
                value.type_name(),
                kind.name()
            )));
        }
    }
    Ok(())
}

impl ToSql for Bound<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Wrong> {
        let number = match self.0 {
            Value::Null => return Ok(IsNull::Yes),
            Value::Text(text) => return text.to_sql(kind, out),
            Value::Blob(bytes) => return bytes.to_sql(kind, out),
            Value::Bool(yes) if *kind == Type::BOOL => return yes.to_sql(kind, out),
            Value::Bool(yes) => i64::from(*yes),
            Value::Real(number) => {
                return match *kind {
                    Type::NUMERIC => number.to_string().to_sql(&Type::TEXT, out),
                    Type::FLOAT4 => (*number as f32).to_sql(kind, out),
                    _ => number.to_sql(kind, out),
                };
            }
            Value::Int(number) => *number,
        };
        match *kind {
            Type::NUMERIC => number.to_string().to_sql(&Type::TEXT, out),
            Type::FLOAT8 => (number as f64).to_sql(kind, out),
            Type::FLOAT4 => (number as f32).to_sql(kind, out),
            Type::INT4 => i32::try_from(number)?.to_sql(kind, out),
            Type::INT2 => i16::try_from(number)?.to_sql(kind, out),
            _ => number.to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        // `fits` has already checked the value.
        true
    }

    fn encode_format(&self, kind: &Type) -> Format {
        match self.0 {
            Value::Text(_) => Format::Text,
            _ if *kind == Type::NUMERIC => Format::Text,
            _ => Format::Binary,
        }
    }

    ::postgres::types::to_sql_checked!();
}

/// A value from the server.
pub(super) struct Cell(pub(super) Value);

impl<'a> FromSql<'a> for Cell {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Wrong> {
        Ok(Self(match *kind {
            Type::BOOL => Value::Bool(bool::from_sql(kind, raw)?),
            Type::INT8 => Value::Int(i64::from_sql(kind, raw)?),
            Type::INT4 => Value::Int(i32::from_sql(kind, raw)?.into()),
            Type::INT2 => Value::Int(i16::from_sql(kind, raw)?.into()),
            Type::OID => Value::Int(u32::from_sql(kind, raw)?.into()),
            Type::FLOAT8 => Value::Real(f64::from_sql(kind, raw)?),
            Type::FLOAT4 => Value::Real(f32::from_sql(kind, raw)?.into()),
            Type::NUMERIC => numeric(raw)?,
            Type::BYTEA => Value::Blob(raw.to_owned()),
            Type::VOID => Value::Null,
            // Binary jsonb is a version byte and the text.
            Type::JSONB => Value::Text(text(raw.get(1..).unwrap_or_default())?),
            Type::JSON | Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN => {
                Value::Text(text(raw)?)
            }
            _ => return Err(format!("type `{}` is not read: cast it to text", kind.name()).into()),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Wrong> {
        Ok(Self(Value::Null))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

fn text(raw: &[u8]) -> Result<String, Wrong> {
    Ok(std::str::from_utf8(raw)?.to_owned())
}

/// Sums and averages of whole numbers. Whole results stay whole, as in SQLite.
fn numeric(raw: &[u8]) -> Result<Value, Wrong> {
    let (head, digits) = raw.split_at_checked(8).ok_or("a number is cut off")?;
    let mut words = head.chunks_exact(2).map(|pair| i16::from_be_bytes([pair[0], pair[1]]));
    let [_, weight, sign, scale] = std::array::from_fn(|_| words.next().unwrap_or_default());
    let sign = match sign {
        0 => 1_i32,
        0x4000 => -1,
        _ => return Err("a number is infinite or none".into()),
    };
    let digits = digits.chunks_exact(2).map(|pair| i16::from_be_bytes([pair[0], pair[1]]));
    // Digits to the base 10000; the first one counts 10000^weight.
    let powers = (0..).map(|place| i32::from(weight) - place);
    if scale == 0 {
        let whole = digits.clone().zip(powers.clone()).try_fold(0_i128, |sum, (digit, power)| {
            let power = 10_000_i128.checked_pow(u32::try_from(power).ok()?)?;
            sum.checked_add(power.checked_mul(digit.into())?)
        });
        if let Some(Ok(whole)) = whole.map(|whole| i64::try_from(whole * i128::from(sign))) {
            return Ok(Value::Int(whole));
        }
    }
    let real: f64 =
        digits.zip(powers).map(|(digit, power)| f64::from(digit) * 10_000_f64.powi(power)).sum();
    Ok(Value::Real(real * f64::from(sign)))
}
