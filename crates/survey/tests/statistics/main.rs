//! Figures, comparisons and tables of small studies that can be checked by hand.

mod comparisons;
mod figures;
mod study;
mod tables;
