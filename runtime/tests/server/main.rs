//! The server as a client sees it: raw lines over real descriptors.

mod asking;
mod calls;
mod client;
mod ends;
mod garbage;
mod handshake;
mod resources;
mod roads;
mod surface;
