//! Documents read out of a tree by serde.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::vec;

use serde::de::value::{CowStrDeserializer, StrDeserializer};
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde_spanned::de::{SpannedDeserializer, is_spanned};

use super::{Key, Node, Tree};

/// Why a tree is no document of the wanted type, and where.
#[derive(Clone, Debug)]
pub struct Error {
    message: String,
    range: Option<Range<usize>>,
}

impl Error {
    /// What is wrong, in serde's words.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The innermost value that is at fault.
    pub fn range(&self) -> Range<usize> {
        self.range.clone().unwrap_or_default()
    }

    fn at(mut self, range: &Range<usize>) -> Self {
        self.range.get_or_insert_with(|| range.clone());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { message: message.to_string(), range: None }
    }
}

impl<'de> Deserializer<'de> for Node<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let range = self.range;
        match self.value {
            Tree::Text(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Tree::Text(Cow::Owned(text)) => visitor.visit_string(text),
            Tree::Int(number) => visitor.visit_i64(number),
            Tree::Float(number) => visitor.visit_f64(number),
            Tree::Bool(value) => visitor.visit_bool(value),
            Tree::Huge => Err(de::Error::invalid_type(Unexpected::Other("a large number"), &visitor)),
            Tree::Date => Err(de::Error::invalid_type(Unexpected::Other("a date"), &visitor)),
            Tree::Array(items) => visitor.visit_seq(Items(items.into_iter())),
            Tree::Table(table) => visitor.visit_map(Entries { rest: table.into_iter(), value: None }),
        }
        .map_err(|error| error.at(&range))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if is_spanned(name) {
            let range = self.range.clone();
            visitor.visit_map(SpannedDeserializer::new(self, range))
        } else {
            self.deserialize_any(visitor)
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let range = self.range.clone();
        match &self.value {
            Tree::Text(word) => visitor.visit_enum(Word(word)).map_err(|error| error.at(&range)),
            _ => self.deserialize_any(visitor),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Error> for Node<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

struct Items<'de>(vec::IntoIter<Node<'de>>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        self.0.next().map(|item| seed.deserialize(item)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Entries<'de> {
    rest: vec::IntoIter<(Key<'de>, Node<'de>)>,
    value: Option<Node<'de>>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        self.value = Some(value);
        let read = seed.deserialize(CowStrDeserializer::<Error>::new(key.value));
        read.map(Some).map_err(|error| error.at(&key.range))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let value = self.value.take().ok_or_else(|| de::Error::custom("a value before its key"))?;
        seed.deserialize(value)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// A word that names a variant without content.
struct Word<'a>(&'a str);

impl<'de> EnumAccess<'de> for Word<'_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        seed.deserialize(StrDeserializer::<Error>::new(self.0)).map(|value| (value, self))
    }
}

impl<'de> VariantAccess<'de> for Word<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Error> {
        Err(de::Error::invalid_type(Unexpected::UnitVariant, &"newtype variant"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        Err(de::Error::invalid_type(Unexpected::UnitVariant, &visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        Err(de::Error::invalid_type(Unexpected::UnitVariant, &visitor))
    }
}
