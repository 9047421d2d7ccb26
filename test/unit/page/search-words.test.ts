import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { catalogueSections } from '../../../src/page/catalogue-panel.js';
import type { ContractDocument } from '../../../src/page/contract-document.js';
import { lookUp, searchIndex } from '../../../src/page/search.js';

/** The results for a phrase on the page of a surface. */
function pageOf(surface: 'gateway' | 'managed-agent') {
  const path = new URL(`../../../generated/${surface}/openapi.json`, import.meta.url);
  const document = JSON.parse(readFileSync(path, 'utf8')) as ContractDocument;
  const [index, sections] = [searchIndex(document), catalogueSections(document)];
  return (phrase: string) => {
    const { operations, catalogues } = lookUp(index, sections, phrase);
    const rows = catalogues.flatMap(({ name, rows }) => rows.map(({ names }) => `${name}: ${names}`));
    return { operations: [...operations].sort(), rows };
  };
}
const gateway = pageOf('gateway');
const server = pageOf('managed-agent');

test.each([
  ['GETREQUEST', ['getRequest']],
  ['get /v1/requests/', ['getRequest']],
  ['delete  request', ['cancelRequest']],
  [
    'idempotency-key',
    ['controlPrompt', 'createReminders', 'postMail', 'replyMail', 'sendMail', 'submitRequest'],
  ],
  ['wait_seconds', ['getRequest', 'getTurn', 'listEvents', 'streamTurn']],
])('%o finds %j by their names, parameters and headers', (phrase, operations) =>
  expect(gateway(phrase).operations).toEqual(operations),
);

test('a field of a body, and of one of its forms, finds its operation', () => {
  expect(server('brain_manifest_path').operations).toEqual(['launchHeadlessAgent']);
  expect(gateway('escape_special_keys').operations).toEqual(['sendKeys']);
  expect(server('request_kind').operations).toEqual(['submitAgentRequest']);
});

test('an error code finds who answers it, and what it means', () => {
  expect(gateway('unknown_request')).toEqual({
    operations: ['cancelRequest', 'getRequest'],
    rows: ['Error codes: unknown_request'],
  });
  // Every operation answers it: the catalogue says so.
  expect(gateway('not_allowed_host').operations).toEqual([]);
  expect(gateway('415').rows).toEqual(['Errors that every operation can answer: 415']);
});

test('a kind of event finds where events are read, and what it tells', () => {
  expect(gateway('turn_ended')).toEqual({
    operations: ['listEvents'],
    rows: ['Kinds of events: turn_ended'],
  });
  expect(server('turn_ended')).toEqual({
    operations: ['listGatewayEvents', 'listHostEvents'],
    rows: ['Kinds of events: turn_ended'],
  });
});

test('where no row has the name, its words are looked through', () => {
  expect(gateway('token').rows).toEqual(['Error codes: token_refused']);
  expect(gateway('Idempotency-Key').rows).toContain('Error codes: key_reused');
  expect(gateway('turn_ended nowhere')).toEqual({ operations: [], rows: [] });
  expect(gateway('cancel /v1/status')).toEqual({ operations: [], rows: [] });
});
