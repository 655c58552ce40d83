//! A hypothesis in the form of a scholastic *quaestio*.
