//! The ends of intervals in JSON, which has no infinity: an open end is `null`.

macro_rules! end {
    ($name:ident, $open:expr) => {
        pub(super) mod $name {
            use serde::{Deserialize, Deserializer, Serialize, Serializer};

            pub(in crate::report) fn serialize<S: Serializer>(
                end: &f64,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                end.is_finite().then_some(*end).serialize(to)
            }

            pub(in crate::report) fn deserialize<'de, D: Deserializer<'de>>(
                from: D,
            ) -> Result<f64, D::Error> {
                Ok(Option::<f64>::deserialize(from)?.unwrap_or($open))
            }
        }
    };
}

end!(low, f64::NEG_INFINITY);
end!(high, f64::INFINITY);

#[cfg(test)]
mod tests {
    use crate::report::{Difference, Mean};

    #[test]
    fn an_open_end_is_null_and_reads_back() {
        let mean = Mean { value: 3.0, low: 0.0, high: f64::INFINITY, of: 1 };
        let json = serde_json::to_string(&mean).unwrap();
        assert_eq!(json, r#"{"value":3.0,"low":0.0,"high":null,"of":1}"#);
        assert_eq!(serde_json::from_str::<Mean>(&json).unwrap(), mean);

        let open = Difference { value: 3.0, low: f64::NEG_INFINITY, high: f64::INFINITY, of: 1 };
        let json = serde_json::to_string(&open).unwrap();
        let read: Difference = serde_json::from_str(&json).unwrap();
        assert_eq!(read, open);
        assert!(!read.is_told_apart());
    }
}
