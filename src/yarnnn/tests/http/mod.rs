//! yarnnn over HTTP: who is let in, what stands before the surface, clients of others, replicas on
//! one database, crowds and sudden death; and pgvector.

mod clients;
mod crash;
mod host_origin;
mod lifecycle;
mod load;
mod pgvector;
mod replicas;
mod resources;
mod review_browser;
mod review_page;
mod tokens;

use toolwright_testing::provided::provided;
