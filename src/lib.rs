//! Toolwright.
