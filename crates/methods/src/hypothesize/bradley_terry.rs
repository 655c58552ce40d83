//! How strong each hypothesis is by the judgements of pairs, and which ranks chance alone would explain.
