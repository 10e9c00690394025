//! As much of HTTP/1.1 as answers need: where one ends, its status, one header.

use memchr::memmem;

use crate::Result;

const END_OF_HEAD: &[u8] = b"\r\n\r\n";
const END_OF_CHUNKS: &[u8] = b"0\r\n\r\n";

/// An answer that has come as a whole.
pub(super) struct Response<'a> {
    head: &'a str,
    /// Chunks still have their lengths between them.
    pub(super) body: &'a [u8],
}

impl<'a> Response<'a> {
    /// None while there is more to come. Nothing follows an answer, for nothing was asked yet.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Option<Self>> {
        let Some(end) = memmem::find(bytes, END_OF_HEAD) else { return Ok(None) };
        let head = std::str::from_utf8(&bytes[..end])?;
        let response = Self { head, body: &bytes[end + END_OF_HEAD.len()..] };
        let whole = match response.header("content-length") {
            Some(length) => response.body.len() >= length.parse()?,
            None if response.header("transfer-encoding").is_some() => {
                response.body.ends_with(END_OF_CHUNKS)
            }
            None => true,
        };
        Ok(whole.then_some(response))
    }

    pub(super) fn is_good(&self) -> bool {
        self.head.get(9..10) == Some("2")
    }

    pub(super) fn header(&self, wanted: &str) -> Option<&'a str> {
        self.head.lines().skip(1).find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case(wanted).then_some(value.trim())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Response;

    #[test]
    fn an_answer_ends_where_it_says() {
        let whole = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
        assert!(Response::parse(&whole[..whole.len() - 1]).unwrap().is_none());
        assert!(Response::parse(whole).unwrap().unwrap().is_good());
        let chunks = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
        assert!(Response::parse(&chunks[..chunks.len() - 5]).unwrap().is_none());
        assert!(Response::parse(chunks).unwrap().is_some());
    }
}
