import { createHash } from 'node:crypto';
import type { StyledRow } from './styled-rows.js';

/** The rows as text, joined with `\n`. */
export const plainText = (rows: readonly StyledRow[]): string => rows.map((row) => row.text).join('\n');

/** SHA-256 of the rows' text in hexadecimal: equal for screens that differ in styles only. */
export const surfaceSignatureOf = (rows: readonly StyledRow[]): string =>
  createHash('sha256').update(plainText(rows)).digest('hex');
