//! A sample world.
