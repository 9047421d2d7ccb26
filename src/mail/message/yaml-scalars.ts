/**
 * The meaning of a plain scalar in YAML 1.1 as PyYAML reads it. The library's own reading of 1.1 has numbers and
 * booleans that PyYAML does not have.
 */
export type Scalar =
  | { is: 'string'; value: string }
  | { is: 'integer'; value: number }
  | { is: 'float'; value: number }
  | { is: 'boolean'; value: boolean }
  | { is: 'null' }
  | { is: 'timestamp'; text: string }
  | { is: 'special'; text: '<<' | '=' };

const nothing = /^(?:~|null|Null|NULL|)$/;
const yes = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const no = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const integer = /^[-+]?(?:0b[01_]+|0x[0-9a-fA-F_]+|0[0-7_]*|[1-9][0-9_]*(?::[0-5]?[0-9])+|[1-9][0-9_]*)$/;
const float =
  /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const timestamp =
  /^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::?\d\d)?))?)$/;

export function plainScalar(text: string): Scalar {
  if (nothing.test(text)) return { is: 'null' };
  if (yes.test(text)) return { is: 'boolean', value: true };
  if (no.test(text)) return { is: 'boolean', value: false };
  // The addition turns -0 into 0: integers have no negative zero.
  if (integer.test(text)) return { is: 'integer', value: signed(text, integerOf) + 0 };
  if (float.test(text)) return { is: 'float', value: signed(text, floatOf) };
  if (timestamp.test(text)) return { is: 'timestamp', text };
  if (text === '<<' || text === '=') return { is: 'special', text };
  return { is: 'string', value: text };
}

function signed(text: string, of: (digits: string) => number): number {
  const value = of(text.replace(/^[-+]/, '').replaceAll('_', ''));
  return text.startsWith('-') ? -value : value;
}

function integerOf(digits: string): number {
  if (digits.startsWith('0b')) return Number.parseInt(digits.slice(2), 2);
  if (digits.startsWith('0x')) return Number.parseInt(digits.slice(2), 16);
  if (digits.includes(':')) return sexagesimal(digits);
  return digits.startsWith('0') ? Number.parseInt(digits, 8) : Number(digits);
}

function floatOf(digits: string): number {
  if (/inf/i.test(digits)) return Number.POSITIVE_INFINITY;
  if (/nan/i.test(digits)) return Number.NaN;
  return digits.includes(':') ? sexagesimal(digits) : Number(digits);
}

const sexagesimal = (digits: string): number =>
  digits.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
