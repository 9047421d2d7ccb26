import type { JsonValue } from './mail-message.js';

// Front matter is written as one line per key, with its value as compact JSON, which YAML 1.1 contains. The YAML library
// cannot write it: it leaves U+007F, C1 controls and line separators raw, which PyYAML refuses or folds, and it knows no
// string that is quoted for PyYAML's plain scalars alone.

/** JSON.stringify leaves them raw; PyYAML refuses the controls and folds the line separators. */
const leftRaw = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

const flowString = (text: string): string => JSON.stringify(text).replace(leftRaw, escaped);

/** To YAML 1.1 `1e+21` is a string: a float needs its point. */
function flowNumber(value: number): string {
  const text = JSON.stringify(value);
  return text.includes('e') && !text.includes('.') ? text.replace('e', '.0e') : text;
}

/** Compact JSON that PyYAML reads as the same value. */
export function flowJson(value: JsonValue): string {
  if (typeof value === 'string') return flowString(value);
  if (typeof value === 'number') return flowNumber(value);
  if (Array.isArray(value)) return `[${value.map(flowJson).join(',')}]`;
  if (value === null || typeof value === 'boolean') return String(value);
  return `{${Object.entries(value)
    .map(([key, each]) => `${flowString(key)}:${flowJson(each)}`)
    .join(',')}}`;
}
