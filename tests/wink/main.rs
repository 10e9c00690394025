//! wink against the real thing: the Python library, several processes, sudden death, hostile disks.

mod concurrency;
mod durability;
mod hostile;
mod interop;
mod project;
