import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { plainText, surfaceSignatureOf } from '../../../../src/tools/screen/frame-signals.js';
import { toStyledRows } from '../../../../src/tools/screen/styled-rows.js';

it('the signature is the SHA-256 of the text without styles', () => {
  const rows = toStyledRows('\u001b[2mone \n\ntwo\u001b[0m\n');
  expect(plainText(rows)).toBe('one\n\ntwo');
  expect(surfaceSignatureOf(rows)).toBe(createHash('sha256').update('one\n\ntwo').digest('hex'));
  expect(surfaceSignatureOf(toStyledRows('one\n\n\u001b[31mtwo'))).toBe(surfaceSignatureOf(rows));
});
