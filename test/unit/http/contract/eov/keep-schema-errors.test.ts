import { expect, test } from 'vitest';
import { keepSchemaErrors } from '../../../../../src/http/contract/eov/keep-schema-errors.js';
import { freshValidator, serveWalls, smallContract } from './fresh-validator.js';

test('upstream still drops keyword, params and schema path; when this fails, the workaround can go', async () => {
  const ask = await serveWalls(freshValidator().middleware(smallContract));
  const { status, error } = await ask('POST', '/a', '{"name":""}');
  expect(status).toBe(400);
  expect(Object.keys(error.errors[0]).sort()).toEqual(['errorCode', 'message', 'path']);
});

test('ours keeps the error of ajv behind each entry', async () => {
  const validator = freshValidator();
  keepSchemaErrors(validator.internals.util);
  keepSchemaErrors(validator.internals.util);
  const ask = await serveWalls(validator.middleware(smallContract));
  const { error } = await ask('POST', '/a', '{"name":"","more":1}');
  expect(error.errors.map((entry: { schemaError: object }) => entry.schemaError)).toMatchObject([
    { keyword: 'additionalProperties', params: { additionalProperty: 'more' } },
    { keyword: 'minLength', params: { limit: 1 }, instancePath: '/body/name' },
  ]);
});
