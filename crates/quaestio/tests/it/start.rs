//! The first hour: `init`, `config show`, `doctor`, `--env-file`, `prompts` and `models get`, as a person meets them.

mod configured;
mod env_file;
mod got;
mod init;
mod prompts;
