use super::ReadError;
use super::raw::Raw;
use std::collections::HashSet;
pub(super) fn read(file: &str, _b: &[u8], _t: &HashSet<String>) -> Result<Raw, ReadError> {
    Err(ReadError::Empty { file: file.to_owned() })
}
pub(super) fn codebook(file: &str, _b: &[u8]) -> Result<Vec<super::codebook::Entry>, ReadError> {
    Err(ReadError::Empty { file: file.to_owned() })
}
