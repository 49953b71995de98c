//! The lines of a stream that arrives in pieces.

use bytes::BytesMut;
use tokio_util::codec::{Decoder, LinesCodec, LinesCodecError};

/// The maximum length of a line in bytes: ten times that of a large encounter.
const MAX_LINE: usize = 16 * 1024 * 1024;

/// Joins the pieces of a stream, and splits them into lines.
pub struct LineReader {
    /// Remembers how far it has searched, so that a long line in many pieces is searched once.
    codec: LinesCodec,
    /// The bytes that have arrived and are not taken yet.
    buffer: BytesMut,
}

impl LineReader {
    /// A reader of a stream from which nothing has arrived.
    pub fn new() -> Self {
        Self {
            codec: LinesCodec::new_with_max_length(MAX_LINE),
            buffer: BytesMut::new(),
        }
    }

    /// Adds the next piece.
    pub fn add(&mut self, piece: &[u8]) {
        self.buffer.extend_from_slice(piece);
    }

    /// Takes the next line, without its line break. None if the line break has not arrived.
    ///
    /// # Errors
    /// If the line is too long, or is not text.
    pub fn take(&mut self) -> Result<Option<String>, String> {
        self.codec
            .decode(&mut self.buffer)
            .map_err(|error| match error {
                LinesCodecError::MaxLineLengthExceeded => {
                    format!("The server sent a line of more than {MAX_LINE} bytes.")
                }
                LinesCodecError::Io(error) => {
                    format!("The server sent a line that is not text: {error}.")
                }
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(lines: &mut LineReader) -> Vec<String> {
        std::iter::from_fn(|| lines.take().expect("a line")).collect()
    }

    #[test]
    fn a_line_ends_in_any_piece() {
        let mut lines = LineReader::new();
        lines.add(b"one\ntw");
        assert_eq!(taken(&mut lines), ["one"]);
        lines.add(b"o");
        assert_eq!(taken(&mut lines), [""; 0]);
        lines.add(b"\n\nthree\n");
        assert_eq!(taken(&mut lines), ["two", "", "three"]);
    }

    #[test]
    fn the_longest_line_in_small_pieces_is_searched_once() {
        const PIECE: usize = 512;
        let mut lines = LineReader::new();
        for piece in 1..=MAX_LINE / PIECE {
            lines.add(&[b'x'; PIECE]);
            assert_eq!(taken(&mut lines), [""; 0]);
            // It shows where its next search begins.
            let searched = format!("next_index: {},", piece * PIECE);
            assert!(
                format!("{:?}", lines.codec).contains(&searched),
                "{:?}",
                lines.codec
            );
        }
        lines.add(b"\n");
        assert_eq!(taken(&mut lines)[0].len(), MAX_LINE);
        lines.add(&vec![b'x'; MAX_LINE + 1]);
        assert!(lines.take().is_err_and(|error| error.contains("16777216")));
    }
}
