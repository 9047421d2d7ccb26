// The view of an editor: the TypeScript language service is asked over the built types of the package.
import { expect, test } from 'vitest';
import { gatewayGroups } from '../../../../sdk/src/core/groups.js';
import { expectHelp, openEditor, operationsOf, shortNamesOf } from '../editor.js';

const operations = operationsOf('gateway');
const shortNames = shortNamesOf(gatewayGroups, operations);
const calls = operations.map(({ id }) => `client.${id}`);
const source = [
  `import { createGatewayClient } from '@houmao/sdk';`,
  `const client = createGatewayClient({ baseUrl: 'http://127.0.0.1:1' });`,
  `await client.submitRequest({ body: { kind: 'interrupt', payload: {} } });`,
  `await client.prompt('hi');`,
  `await client.request('gwreq-1').answer();`,
  `client.submit;`,
  `client.events;`,
  `client.request('gwreq-1').stream;`,
  `client.turn('turn-1').stream;`,
  ...calls.map((call) => `${call};`),
  ...shortNames.map(({ name }) => `client.${name};`),
].join('\n');
const { hover, mistakes } = openEditor(source);

test('there are operations to show', () => expect(operations.length).toBeGreaterThan(30));

test('the program is right, so what is shown is shown to users', () => {
  expect(mistakes()).toEqual([]);
});

test.each(operations)(
  '$id says on hover what it does, takes and throws',
  ({ id, summary, statuses, inputs }) => {
    const { text, tags } = hover(`client.${id};`);
    expect(text).toContain(summary);
    const throws = tags.filter((tag) => tag.startsWith('@throws')).join('\n');
    for (const status of statuses) expect(throws).toContain(status);
    const options = tags.find((tag) => tag.startsWith('@param options')) ?? '';
    for (const input of inputs) expect(options).toContain(input);
  },
);

test.each(shortNames)('$name says the same as $id', ({ name, id }) => {
  expect(hover(`client.${name};`)).toEqual(hover(`client.${id};`));
});

test('a group says which operations its names are', () => {
  expect(hover('client.mail.').text).toContain('`send` is `sendMail`');
});

test.each([
  [
    'client.prompt',
    'Queues a prompt, waits for its turn to end',
    ['PromptFailed', 'GatewayError'],
    '@param text',
  ],
  ['client.submit;', 'Queues a prompt and returns a handle', ['GatewayError'], '@param text'],
  ['client.events;', 'Streams the events of a gateway', ['GatewayError'], '@param options'],
  [
    `client.request('gwreq-1').stream;`,
    'Streams the turn while it runs',
    ['PromptFailed', 'GatewayError'],
    '@param options',
  ],
  [
    `client.turn('turn-1').stream;`,
    'Streams the turn while it runs',
    ['PromptFailed', 'GatewayError'],
    '@param options',
  ],
] as const)('%s says what it does, takes, throws, and how it is used', (...help) => expectHelp(hover, help));

test('a call shows the same as its name does', () => {
  const { text, tags } = hover('client.submitRequest');
  expect(text).toMatch(/^Queue a prompt or an interrupt\.\n\nAnswers 202 when the request is on disk;/);
  expect(text).toContain('`POST /v1/requests`');
  expect(tags.join('\n')).toMatch(/@param options -?\s*- `headers\['Idempotency-Key'\]`: 1 to 255/);
  expect(tags).toContainEqual(expect.stringMatching(/^@throws 409: /));
  expect(tags).toContainEqual(expect.stringMatching(/^@throws .*401.*500: as every operation\.$/));
  expect(text).not.toContain('Send an `Idempotency-Key`');
});

test('path parameters are named', () => {
  expect(hover('client.getRequest;').tags.join('\n')).toContain('`path.request_id`');
});

test('what is written by hand is shown too', () => {
  expect(hover(`client.request('gwreq-1').answer`).text).toContain('Waits for the request and its turn to');
});
