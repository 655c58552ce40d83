use super::raw::Raw;
use super::{File, ReadError};
pub(super) fn read(file: &str, _b: &[u8], _files: &[File]) -> Result<Vec<Raw>, ReadError> {
    Err(ReadError::Empty { file: file.to_owned() })
}
