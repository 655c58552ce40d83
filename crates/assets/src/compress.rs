//! Compression of what a browser takes compressed.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

/// Returns the contents compressed with gzip; `None` if that saves nothing worth a header.
pub fn gzip(contents: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(vec![], Compression::best());
    encoder.write_all(contents).ok()?;
    saved(contents, encoder.finish().ok()?)
}

/// Returns the contents compressed with Brotli; `None` if that saves nothing worth a header.
pub fn brotli(contents: &[u8]) -> Option<Vec<u8>> {
    let parameters =
        brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
    let mut compressed = vec![];
    brotli::BrotliCompress(&mut &*contents, &mut compressed, &parameters).ok()?;
    saved(contents, compressed)
}

/// A tenth is the least that is worth it.
fn saved(contents: &[u8], compressed: Vec<u8>) -> Option<Vec<u8>> {
    (compressed.len() < contents.len() - contents.len() / 10).then_some(compressed)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_was_compressed_comes_back(word in "[a-z ]{1,20}", times in 1_usize..200) {
            let contents = word.repeat(times).into_bytes();
            if let Some(compressed) = gzip(&contents) {
                let mut back = vec![];
                GzDecoder::new(&*compressed).read_to_end(&mut back).unwrap();
                prop_assert_eq!(&back, &contents);
            }
            if let Some(compressed) = brotli(&contents) {
                let mut back = vec![];
                brotli::BrotliDecompress(&mut &*compressed, &mut back).unwrap();
                prop_assert_eq!(&back, &contents);
            }
        }
    }

    #[test]
    fn what_does_not_get_smaller_stays_as_it_is() {
        assert_eq!(gzip(b""), None);
        assert_eq!(brotli(b"abc"), None);
        assert!(brotli(&b"abc".repeat(1_000)).is_some());
    }
}
