import { MailRefusal } from './mail-refusal.js';
import { isWellFormed, strip } from './python-text.js';

/** What is in a mailbox's folder beside its boxes. */
const taken = /^mailbox\.sqlite/;
const longestBytes = 255;
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose.
const control = /[\u0000-\u001f\u007f-\u009f]/;

/** Whether a row of the index names a box, and not a place outside of the mailbox. */
export function isBoxName(text: string): boolean {
  try {
    return parseBoxName(text, 'box') === text;
  } catch {
    return false;
  }
}

/** The name of a box, which is that of a folder: any but one that leads elsewhere. @throws {MailRefusal} */
export function parseBoxName(text: string, field: string): string {
  const name = strip(text);
  const refuse = (rule: string): never => {
    throw new MailRefusal(field, rule);
  };
  if (name === '') refuse('must not be blank');
  if (name === '.' || name === '..' || name.includes('/')) refuse('must be the name of one folder');
  if (control.test(name)) refuse('must not contain control characters');
  if (!isWellFormed(name) || Buffer.byteLength(name) > longestBytes) refuse('is not a folder name');
  if (taken.test(name)) refuse('is the name of a database');
  return name;
}
