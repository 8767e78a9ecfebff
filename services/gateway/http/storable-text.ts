/** Whether the database can hold a text of any lines: its text has no NUL, and its UTF-8 no halves of surrogate pairs. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Message of the validation issue for a text that is not storable. */
export const NOT_STORABLE = 'must not contain NUL or half of a surrogate pair.';
