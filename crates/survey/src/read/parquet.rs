use super::ReadError;
use super::raw::Raw;
pub(super) fn read(file: &str, _b: &[u8]) -> Result<Raw, ReadError> {
    Err(ReadError::Empty { file: file.to_owned() })
}
