/**
 * Text that came from elsewhere, made safe for a terminal or a log: no ESC and no other control character but tab and
 * newline. What is removed becomes U+FFFD, so that the gap can be seen.
 */
export const sanitiseText = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose.
  text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd');

/** The same on one line, for log lines. */
export const sanitiseLine = (text: string): string => sanitiseText(text).replace(/\s+/g, ' ').trim();
