//! Kinds of characters of all scripts.

use unicode_general_category::{GeneralCategory as Category, get_general_category};

/// Letters and a symbol that show nothing.
const BLANK: [char; 5] = ['\u{115f}', '\u{1160}', '\u{2800}', '\u{3164}', '\u{ffa0}'];

/// Whether a character is a letter or a numeral.
pub(super) fn is_letter_or_digit(c: char) -> bool {
    use Category::*;
    let category = get_general_category(c);
    let is_letter = matches!(
        category,
        UppercaseLetter | LowercaseLetter | TitlecaseLetter | ModifierLetter | OtherLetter
    );
    let is_digit = matches!(category, DecimalNumber | LetterNumber | OtherNumber);
    (is_letter || is_digit) && !BLANK.contains(&c)
}

/// Whether a character is a part of the letter before it, such as an accent or a vowel sign.
pub(super) fn is_mark(c: char) -> bool {
    use Category::*;
    matches!(
        get_general_category(c),
        NonspacingMark | SpacingMark | EnclosingMark
    )
}

/// Whether a character shows something by itself.
pub(super) fn is_visible(c: char) -> bool {
    use Category::*;
    if c.is_ascii() {
        return c.is_ascii_graphic();
    }
    let shows_nothing = matches!(
        get_general_category(c),
        Control
            | Format
            | SpaceSeparator
            | LineSeparator
            | ParagraphSeparator
            | NonspacingMark
            | EnclosingMark
    );
    !shows_nothing && !BLANK.contains(&c)
}
