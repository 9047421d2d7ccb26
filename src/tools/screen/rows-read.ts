/**
 * How many rows at the end of a capture a reader of screens needs. The composer, a dialog and the end of what a tool said
 * last are there. A prompt may stand further up, above a long answer, of which the end tells enough. So a poll need not
 * make rows of thousands of lines of scrollback: `toStyledRows(capture, rowsRead)`.
 */
export const rowsRead = 300;
