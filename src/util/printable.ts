// Text from a file on its way to a person. Names are chosen by whoever made the file: as they are they could
// move the cursor, hide what follows or fill the screen.

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** A text without control characters and marks that turn its direction, each replaced by `�`. */
export function printable(text: string): string {
  return text.replace(CONTROL, '\ufffd');
}

/** The same, cut to a length. */
export function printableStart(text: string, length: number): string {
  return printable(text.length <= length ? text : `${text.slice(0, length - 1)}…`);
}
