import { expect, test } from 'vitest';
import { gatewayGroups, serverGroups } from '../../../../sdk/src/core/groups.js';
import { expectHelp, openEditor, operationsOf, shortNamesOf } from '../editor.js';

const operations = operationsOf('managed-agent');
const gatewayOperations = operationsOf('gateway').filter(
  ({ id }) => !/Mail(Status|Attachment)?$|^get(?:Health|Metrics)$/.test(id),
);
const isOfAgent = ({ path }: { path: string }) => /^\/houmao\/agents\/\{agent_ref\}(?!\/gateway)/.test(path);
const ofAgent = operations.filter(isOfAgent);

const shortNames = [
  ...shortNamesOf({ ...gatewayGroups, ...serverGroups }, operations).map((one) => ({ ...one, at: 'client' })),
  ...shortNamesOf(gatewayGroups, ofAgent).map((one) => ({ ...one, at: 'alpha' })),
  ...shortNamesOf(gatewayGroups, gatewayOperations).map((one) => ({ ...one, at: 'alpha.gateway' })),
];

const source = [
  `import { createHoumaoClient } from '@houmao/sdk/managed-agent';`,
  `const client = createHoumaoClient({ baseUrl: 'http://127.0.0.1:1' });`,
  `const alpha = client.agent('alpha');`,
  `await alpha.prompt('hi');`,
  `await alpha.turn('turn-1').answer();`,
  `await alpha.gateway.attach();`,
  `alpha.submit;`,
  `alpha.turn('turn-1').stream;`,
  `alpha.gateway.prompt;`,
  `client.events;`,
  ...operations.map(({ id }) => `client.${id};`),
  ...ofAgent.map(({ id }) => `alpha.${id};`),
  ...gatewayOperations.map(({ id }) => `alpha.gateway.${id};`),
  ...shortNames.map(({ at, name }) => `${at}.${name};`),
].join('\n');
const { hover, mistakes } = openEditor(source);

test('there are operations to show', () => {
  expect([operations.length > 55, ofAgent.length > 25, gatewayOperations.length > 20]).toEqual([
    true,
    true,
    true,
  ]);
});

test('the program is right, so what is shown is shown to users', () => expect(mistakes()).toEqual([]));

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

test.each(ofAgent)('$id says the same where the agent is filled in', ({ id }) => {
  expect(hover(`alpha.${id};`)).toEqual(hover(`client.${id};`));
});

test.each(gatewayOperations)('$id of its gateway says what it does', ({ id, summary }) => {
  const { text, tags } = hover(`alpha.gateway.${id};`);
  expect(text).toContain(summary);
  expect(tags.filter((tag) => tag.startsWith('@throws')).length).toBeGreaterThan(0);
});

test.each(shortNames)('$at.$name says the same as $id', ({ at, name, id }) => {
  expect(hover(`${at}.${name};`)).toEqual(hover(`${at}.${id};`));
});

test.each([
  ['alpha.prompt', 'Prompts the agent, waits for the turn', ['TurnFailed', 'HoumaoError'], '@param text'],
  ['alpha.submit;', 'returns a handle as soon as the server', ['HoumaoError'], '@param text'],
  [
    `alpha.turn('turn-1').stream;`,
    'Streams the turn while it runs',
    ['TurnFailed', 'HoumaoError'],
    '@param options',
  ],
  [
    'alpha.gateway.prompt;',
    'Queues a prompt, waits for its turn',
    ['PromptFailed', 'HoumaoError'],
    '@param text',
  ],
  ['client.events;', 'Streams the events of all agents', ['HoumaoError'], '@param options'],
] as const)('%s says what it does, takes, throws, and how it is used', (...help) => expectHelp(hover, help));

test('what is written by hand is shown too', () => {
  expect(hover(`alpha.turn('turn-1').answer`).text).toContain('Waits for the turn to end');
  expect(hover('alpha.gateway.attach').text).toContain('Starts a gateway beside the agent');
  expect(hover('client.agent').text).toContain('Returns one agent, by any of its names');
});
