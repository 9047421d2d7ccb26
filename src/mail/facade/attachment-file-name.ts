import { sanitiseLine } from '../../foundation/sanitise.js';
import { bareFileName } from '../message/bare-file-name.js';

/** Bytes; a file system takes 255, and a temporary sibling of the file has a longer name. */
const longest = 150;
const fallback = 'attachment';

/** What a shell would act on, where somebody puts the path of the file into a command. */
const shellSyntax = /[$`;"'\\&|<>*?!()]/g;

/** Nothing that is seen at the end of a name. */
const tail = /[\s.]+$/;

/**
 * Pure: the name of a file on this machine for what a sender called so. It has no folder in it, is not hidden, is one line, shows the
 * letters that it has, in their order, and says nothing to a shell.
 */
export function attachmentFileName(label: string | null): string {
  // Half a character becomes the same as what a terminal would not take.
  const whole = Buffer.from(bareFileName(label ?? '')).toString();
  const plain = sanitiseLine(whole).replaceAll('\ufffd', '_').replace(shellSyntax, '_');
  const shown = shortened(plain.replace(/^[\s.]+/, '').replace(tail, ''));
  return shown === '' ? fallback : shown;
}

/** The end of a name is kept: it says what kind of file it is. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= longest) return name;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  const room = longest - Buffer.byteLength(ending);
  let kept = '';
  let bytes = 0;
  for (const letter of name) {
    bytes += Buffer.byteLength(letter);
    if (bytes > room) break;
    kept += letter;
  }
  return kept.replace(tail, '') + ending;
}
