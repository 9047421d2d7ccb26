import { expect, test } from 'vitest';
import { plainScalar } from '../../../../src/mail/message/yaml-reader.js';

const string = (value: string) => ({ is: 'string', value });

test.each([
  '1e3',
  '0o17',
  'y',
  'n',
  'Y',
  'N',
  'yEs',
  '1e+3',
  '09',
  '0x',
  '1:60',
  '2026-01-01T',
  'nUll',
  '.',
  '.e3',
  '- 1',
  '+',
  '12e03',
])('%s is a string, whatever other readers make of it', (text) => {
  expect(plainScalar(text)).toEqual(string(text));
});

test.each([
  ['yes', true],
  ['Yes', true],
  ['YES', true],
  ['on', true],
  ['True', true],
  ['no', false],
  ['Off', false],
  ['FALSE', false],
])('%s is a boolean', (text, value) => {
  expect(plainScalar(text)).toEqual({ is: 'boolean', value });
});

test.each(['', '~', 'null', 'Null', 'NULL'])('%j is null', (text) => {
  expect(plainScalar(text)).toEqual({ is: 'null' });
});

test.each([
  ['012', 10],
  ['1_000', 1000],
  ['12:30:00', 45000],
  ['0b101', 5],
  ['0x1F', 31],
  ['-7', -7],
  ['+7', 7],
  ['0', 0],
  ['1:30', 90],
  ['-1:30', -90],
])('%s is an integer', (text, value) => {
  expect(plainScalar(text)).toEqual({ is: 'integer', value });
});

test.each([
  ['1.0e+3', 1000],
  ['1.5', 1.5],
  ['.5', 0.5],
  ['1.', 1],
  ['-.inf', Number.NEGATIVE_INFINITY],
  ['.NaN', Number.NaN],
  ['1:30.5', 90.5],
  ['1_0.5', 10.5],
])('%s is a float', (text, value) => {
  expect(plainScalar(text)).toEqual({ is: 'float', value });
});

test.each(['2026-01-01', '2026-03-13T09:15:30Z', '2026-1-2 3:04:05.6 +01:00'])(
  '%s is a timestamp',
  (text) => {
    expect(plainScalar(text)).toEqual({ is: 'timestamp', text });
  },
);

test('the merge key and the value key are neither strings nor anything else', () => {
  expect(plainScalar('<<')).toEqual({ is: 'special', text: '<<' });
  expect(plainScalar('=')).toEqual({ is: 'special', text: '=' });
});
